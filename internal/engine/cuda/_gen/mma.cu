// The product of packed rows by the matrix instructions of sm_80 and later, for any number of columns of the data that fits into shared memory:
// out[s, c, i] = Σ_j κ(a_i, b_j)·v[c, j] over the columns j of part s. A block of four warps has 128 rows in shared memory and goes through its columns 64 at a
// time.
#define STAGE 64
__device__ __forceinline__ void load4(u32* r, u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
__device__ __forceinline__ void multiply(float* d, const u32* a, u32 b0, u32 b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <int KIND, int COLUMNS>
__device__ __forceinline__ void product(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, int kb, shape s) {
  extern __shared__ __align__(128) u8 memory[];
  const u32 left = 128 * kb * 32, rows = STAGE * kb * 32, whole = rows + COLUMNS * STAGE * 4;
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, g = lane >> 2, t = lane & 3;
  u64 row0 = (u64)blockIdx.x * 128, row = row0 + warp * 32 + g;
  for (int q = tid; q < 128 * kb * 8; q += 128) { // words of two numbers, in the order of the left side
    int r = q / (kb * 8), k = 2 * (q % (kb * 8));
    ((u32*)memory)[place(r, k, kb) / 2] = left_word(A, row0 + r, k, d, kb);
  }
  float acc[2][COLUMNS][2];
  double total[2][COLUMNS][2];
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) acc[m][c][0] = acc[m][c][1] = 0.f, total[m][c][0] = total[m][c][1] = 0.0;
  u64 j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  int stages = j1 > j0 ? (int)((j1 - j0 + STAGE - 1) / STAGE) : 0;
  u32 base = shared_address(memory);
#define FETCH(i) { u64 j = j0 + (u64)(i) * STAGE; u32 to = base + left + ((i) & 1) * whole; const uint4* from = (const uint4*)(B + j * (u64)(kb * 16)); \
    for (int q = tid; q < (int)(rows / 16); q += 128) copy16(to + q * 16, from + q); \
    if (tid < COLUMNS * 16) copy16(to + rows + tid * 16, v + (tid >> 4) * ldv + j + (tid & 15) * 4); }
  if (stages > 0) FETCH(0);
  copies_end();
  // lane l names row l%8 of block l/8: of the left side (rows, rows+8) × (k, k+8), of the right (k, k+8) × (columns, columns+8)
  u32 blocks = kb * 256, mine = (lane & 7) * 16;
  u32 at_a = base + (warp * 4 + ((lane >> 3) & 1)) * blocks + (lane >> 4) * 128 + mine;
  u32 at_b = ((lane >> 4) & 1) * blocks + ((lane >> 3) & 1) * 128 + mine;
  for (int i = 0; i < stages; i++) {
    if (i + 1 < stages) FETCH(i + 1);
    copies_end();
    copies_wait<1>();
    __syncthreads();
    u32 stage = left + (i & 1) * whole;
    float q[2][32];
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
      for (int e = 0; e < 32; e++) q[m][e] = 0.f;
    for (int k = 0; k < kb; k++) {
      u32 a[2][4];
      load4(a[0], at_a + k * 256);
      load4(a[1], at_a + 2 * blocks + k * 256);
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        u32 b[4];
        load4(b, base + stage + at_b + j * blocks + k * 256);
#pragma unroll
        for (int m = 0; m < 2; m++) {
          multiply(q[m] + 4 * j, a[m], b[0], b[1]);
          multiply(q[m] + 4 * j + 4, a[m], b[2], b[3]);
        }
      }
    }
    u64 j = j0 + (u64)i * STAGE;
#pragma unroll
    for (int m = 0; m < 2; m++)
      process<KIND, COLUMNS, 64, KIND == GAUSS ? 2 : 0>(q[m], acc[m], (const float*)(memory + stage + rows), STAGE, t, s, valid_bits(row + m * 16, na), A, row + m * 16, B, j, d, kb);
    if ((i + 1) % (2 * FLUSH) == 0) settle<COLUMNS>(acc[0], total[0]), settle<COLUMNS>(acc[1], total[1]);
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 2; m++) {
    settle<COLUMNS>(acc[m], total[m]);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        double x = total[m][c][h];
        x += __shfl_xor_sync(0xffffffffu, x, 1);
        x += __shfl_xor_sync(0xffffffffu, x, 2);
        u64 r = row + m * 16 + h * 8;
        if (t == 0 && r < na) out[((u64)blockIdx.y * COLUMNS + c) * na + r] = x;
      }
  }
}
#define ENTRY(KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(128) mma_##KIND##_##COLUMNS(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, int kb, float a, float b, int n) { \
    product<KIND, COLUMNS>(A, na, B, nb, chunk, v, ldv, out, d, kb, shape{a, b, n}); \
  }
#define ENTRIES(KIND) ENTRY(KIND, 1) ENTRY(KIND, 2)
ENTRIES(0) ENTRIES(1) ENTRIES(2) ENTRIES(3) ENTRIES(4) ENTRIES(5)
