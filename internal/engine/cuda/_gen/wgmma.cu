// The product of packed rows by the matrix instructions of Hopper (sm_90a): out[s, c, i] = Σ_j κ(a_i, b_j)·v[c, j] over the columns j of part s.
//
// Each warpgroup holds 64 rows in registers; all four of a block read the same columns, which the copy engine brings into shared memory some stages of 128 ahead. There are two ways to have
// the matrix unit and the one for exponentials, which is the narrowest, at work at the same time.
//
// Where multiplying is short (20 columns of the data) there are two blocks on a multiprocessor, 32 warps of 64 registers: a group multiplies with 32 columns and takes their exponentials, and while it
// waits seven others are at it. In more columns rows take too many registers for that: there is one block, and its groups take turns at the matrix unit, with 128 columns at a time. While one
// multiplies, the others take exponentials; left to themselves they multiply all at once and then all wait.
#define GROUPS 4
#define STAGE 128
#define SMALL 4 // blocks of 16 numbers

#define A4(r) "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
#define F8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define F32(d, i) F8(d, i), F8(d, i + 8), F8(d, i + 16), F8(d, i + 24)
__device__ __forceinline__ void multiply(float* d, const u32* a, u64 b, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
    "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
    "{%64,%65,%66,%67}, %68, p, 1, 1, 0;\n}" : F32(d, 0), F32(d, 32) : A4(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void multiply_few(float* d, const u32* a, u64 b, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %21, 0;\nwgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19}, %20, p, 1, 1, 0;\n}" : F8(d, 0), F8(d, 8) : A4(a), "l"(b), "r"(add));
}
// hold keeps the compiler from moving what reads accumulators across this line.
template <int WIDE>
__device__ __forceinline__ void hold(float* d) {
#pragma unroll
  for (int i = 0; i < WIDE / 2; i++) asm volatile("" : "+f"(d[i])::"memory");
}
// described is how the matrix unit is told of blocks of 8 × 16 bytes that start at an address: how far it is to the next along k and to the next eight columns, in 16 bytes.
template <int KB>
__device__ __forceinline__ u64 described(u32 at) { return ((u64)(128 >> 4) << 16) | ((u64)(KB * 256 >> 4) << 32) | (at >> 4); }
// inner_products are those of the rows in a with WIDE columns.
template <int KB, int WIDE>
__device__ __forceinline__ void inner_products(float* d, const u32 (*a)[4], u64 columns) {
  hold<WIDE>(d);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < KB; k++) {
    if (WIDE == 128) multiply(d, a[k], columns + k * 16, k > 0);
    else multiply_few(d, a[k], columns + k * 16, k > 0);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  hold<WIDE>(d);
}
__device__ __forceinline__ void turn_wait(int group) { asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory"); }
__device__ __forceinline__ void turn_give(int group) { asm volatile("bar.arrive %0, 256;" ::"r"(1 + group) : "memory"); }

__device__ __forceinline__ void barrier_new(u32 bar, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }
__device__ __forceinline__ void barrier_arrive(u32 bar) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void barrier_expect(u32 bar, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory"); }
__device__ __forceinline__ void barrier_wait(u32 bar, u32 phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(bar), "r"(phase) : "memory");
}
__device__ __forceinline__ bool barrier_passed(u32 bar, u32 phase) { // without waiting
  int is;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(is) : "r"(bar), "r"(phase) : "memory");
  return is;
}
__device__ __forceinline__ void copy_bulk(u32 to, const void* from, u32 bytes, u32 bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

#define STAGES 4
// Exponentials of 16 that multipliers make: as many as leave no unit waiting for another.
#define POLYS_OF(KB, KIND) (KB > 4 ? KIND == GAUSS : KB == 4 && KIND == GAUSS ? 2 : 4)

template <int KB, int KIND, int COLUMNS>
__device__ __forceinline__ void product(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, shape s) {
  extern __shared__ __align__(128) u8 memory[];
  __shared__ u64 bars[2 * STAGES]; // of each stage: full, empty
  const u32 rows = STAGE * KB * 32, whole = rows + COLUMNS * STAGE * 4;
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, group = warp >> 2, g = lane >> 2, t = lane & 3;
  u64 row = ((u64)blockIdx.x * (GROUPS * 4) + warp) * 16 + g;
  u64 last = (na + 127) / 128 * 128 - 1; // as many rows are stored
  u64 j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  int stages = j1 > j0 ? (int)((j1 - j0 + STAGE - 1) / STAGE) : 0;
  u32 base = shared_address(memory), full = shared_address(bars), empty = full + 8 * STAGES;
  if (tid == 0) {
    for (int i = 0; i < STAGES; i++) barrier_new(full + 8 * i, 1), barrier_new(empty + 8 * i, GROUPS * 4);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
#define FETCH(i) { u64 j = j0 + (u64)(i) * STAGE; int at = (i) % STAGES; u32 to = base + at * whole; barrier_expect(full + 8 * at, whole); \
    copy_bulk(to, B + j * (KB * 16), rows, full + 8 * at); \
    for (int c = 0; c < COLUMNS; c++) copy_bulk(to + rows + c * STAGE * 4, v + c * ldv + j, STAGE * 4, full + 8 * at); }
  if (tid == 0)
    for (int i = 0; i < STAGES - 1 && i < stages; i++) FETCH(i);
  u32 a[KB][4];
#pragma unroll
  for (int k = 0; k < KB; k++)
#pragma unroll
    for (int i = 0; i < 4; i++) a[k][i] = left_word(A, min(row + (i & 1) * 8, last), k * 16 + (i >> 1) * 8 + 2 * t, d, KB);
  float acc[COLUMNS][2];
  double total[COLUMNS][2];
#pragma unroll
  for (int c = 0; c < COLUMNS; c++) acc[c][0] = acc[c][1] = 0.f, total[c][0] = total[c][1] = 0.0;
  constexpr bool small = KB <= SMALL;
  constexpr int wide = small ? 32 : STAGE, polys = POLYS_OF(KB, KIND);
  float q[wide / 2];
  u64 start = described<KB>(base);
  if (!small && group == GROUPS - 1 && stages > 0) turn_give(0);
  bool filled = false;
#pragma unroll 1
  for (int i = 0, at = 0, phase = 0; i < stages; i++) {
    const float* w = (const float*)(memory + at * whole + rows);
    u32 valid = valid_bits(row, na);
    u64 j = j0 + (u64)i * STAGE, columns = start + at * (whole >> 4);
    if (!filled) barrier_wait(full + 8 * at, phase);
    int now = at;
    if (++at == STAGES) at = 0, phase ^= 1;
    if (small) {
#pragma unroll
      for (int p = 0; p < STAGE / wide; p++) {
        inner_products<KB, wide>(q, a, columns + p * (wide / 8 * KB * 16));
        if (p == STAGE / wide - 1) filled = barrier_passed(full + 8 * at, phase); // asked early: the answer takes a while
        process<KIND, COLUMNS, wide, polys>(q, acc, w + p * wide, STAGE, t, s, valid, A, row, B, j + p * wide, d, KB);
      }
    } else {
      turn_wait(group);
      inner_products<KB, wide>(q, a, columns);
      if (!(group == GROUPS - 1 && i == stages - 1)) turn_give(group == GROUPS - 1 ? 0 : group + 1);
      process<KIND, COLUMNS, wide, polys>(q, acc, w, STAGE, t, s, valid, A, row, B, j, d, KB);
    }
    __syncwarp();
    if (lane == 0) barrier_arrive(empty + 8 * now);
    int next = i + STAGES - 1; // goes where stage i-1 was
    if (tid == 0 && next < stages) {
      if (i > 0) barrier_wait(empty + 8 * (next % STAGES), ((i - 1) / STAGES) & 1);
      FETCH(next);
    }
    if ((i + 1) % FLUSH == 0) settle<COLUMNS>(acc, total);
  }
  settle<COLUMNS>(acc, total);
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double x = total[c][h];
      x += __shfl_xor_sync(0xffffffffu, x, 1);
      x += __shfl_xor_sync(0xffffffffu, x, 2);
      if (t == 0 && row + h * 8 < na) out[((u64)blockIdx.y * COLUMNS + c) * na + row + h * 8] = x;
    }
}
#define ENTRY(KB, KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(GROUPS * 128, KB <= SMALL ? 2 : 1) wgmma_##KB##_##KIND##_##COLUMNS(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, int kb, float a, float b, int n) { \
    product<KB, KIND, COLUMNS>(A, na, B, nb, chunk, v, ldv, out, d, shape{a, b, n}); \
  }
#define ENTRIES(KB) ENTRY(KB, 0, 1) ENTRY(KB, 0, 2) ENTRY(KB, 1, 1) ENTRY(KB, 1, 2) ENTRY(KB, 2, 1) ENTRY(KB, 2, 2) ENTRY(KB, 3, 1) ENTRY(KB, 3, 2) \
  ENTRY(KB, 4, 1) ENTRY(KB, 4, 2) ENTRY(KB, 5, 1) ENTRY(KB, 5, 2)
#ifdef ONLY
#define SOME(KB) ENTRY(KB, 0, 1) ENTRY(KB, 1, 1) ENTRY(KB, 3, 1) ENTRY(KB, 0, 2) ENTRY(KB, 1, 2)
SOME(ONLY)
#else
ENTRIES(1) ENTRIES(2) ENTRIES(3) ENTRIES(4) ENTRIES(6) ENTRIES(8)
#endif
