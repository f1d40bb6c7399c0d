// Sums over profiles of points of many columns by the matrix instructions of sm_80 and later: out[s, c, i] = Σ_j κ(a_i, b_j)·v[c, j] over the columns j of part s.
//
// A row is blocks of 16 coordinates, an even number of them: of each the upper halves of its numbers, then the lower ones. Rows lie in groups of eight, eight numbers of each
// after one another (see common.cu); after all rows comes -½‖x‖² of each. A block has 128 rows and goes through the columns 128 at a time, 32 coordinates of both at a time in
// shared memory, two such steps ahead; a warp has 32 × 64 of the pairs. Three products give hi·hi + hi·lo + lo·hi.
#define DEEP_STEP 16384 // bytes of 32 coordinates of 128 rows

__device__ __forceinline__ u64 deep_place(u64 row, int k, int blocks) { // in halves; the lower half is 128 on
  return (row >> 3) * (u64)(blocks * 256) + (k >> 4) * 256 + ((k >> 3) & 1) * 64 + (row & 7) * 8 + (k & 7);
}
// deep_pack splits n rows of d numbers (of npad, the rest being 0); a thread makes eight numbers of a row.
extern "C" __global__ void deep_pack(const float* x, u64 n, u64 npad, int d, int blocks, u16* out) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= npad * (u64)(2 * blocks)) return;
  u64 row = id / (u64)(2 * blocks);
  int k0 = 8 * (int)(id % (u64)(2 * blocks));
  u16 high[8], low[8];
#pragma unroll
  for (int e = 0; e < 8; e++) {
    float y = row < n && k0 + e < d ? x[row * d + k0 + e] : 0.f;
    high[e] = (u16)halves(y, 0.f);
    low[e] = (u16)halves(y - of_half(high[e]), 0.f);
  }
  u64 at = deep_place(row, k0, blocks);
#pragma unroll
  for (int e = 0; e < 8; e++) out[at + e] = high[e], out[at + 128 + e] = low[e];
}
// deep_norms puts -½‖x‖² of the split numbers after all rows, or 0; a warp has a row.
extern "C" __global__ void deep_norms(const float* x, u64 n, u64 npad, int d, int blocks, int norms, u16* out) {
  u64 row = ((u64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= npad) return;
  double s = 0;
  for (int k = lane; k < d && row < n && norms; k += 32) {
    float y = x[row * d + k], hi = of_half(halves(y, 0.f)), lo = of_half(halves(y - hi, 0.f));
    s += (double)hi * ((double)hi + 2.0 * (double)lo);
  }
  for (int other = 1; other < 32; other *= 2) s += __shfl_xor_sync(0xffffffffu, s, other);
  if (lane == 0) ((float*)(out + npad * (u64)(blocks * 32)))[row] = (float)(-0.5 * s);
}

template <int KIND, int COLUMNS>
__device__ __forceinline__ void deep(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int blocks, shape s) {
  extern __shared__ __align__(128) u8 memory[];
  float *sv = (float*)(memory + 6 * DEEP_STEP), *sh = sv + 2 * COLUMNS * 128;
  u32 base = shared_address(memory), uv = shared_address(sv), uh = shared_address(sh);
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, down = warp >> 1, across = warp & 1, g = lane >> 2, t = lane & 3, pieces = blocks / 2;
  u64 row0 = (u64)blockIdx.x * 128, row = row0 + down * 32 + g, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  const float *left_norms = (const float*)(A + (na + 127) / 128 * 128 * (u64)(blocks * 32)), *right_norms = (const float*)(B + (nb + 127) / 128 * 128 * (u64)(blocks * 32));
  int steps = j1 > j0 ? (int)((j1 - j0 + 127) / 128) * pieces : 0;
  float acc[2][COLUMNS][2], ha[2][2];
  double total[2][COLUMNS][2];
#pragma unroll
  for (int m = 0; m < 2; m++) {
    ha[m][0] = left_norms[row + m * 16], ha[m][1] = left_norms[row + m * 16 + 8];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) acc[m][c][0] = acc[m][c][1] = 0.f, total[m][c][0] = total[m][c][1] = 0.0;
  }
#define FETCH_DEEP(step) { int i = (step) / pieces, piece = (step) % pieces; u64 j = j0 + (u64)i * 128; u32 to = base + (step) % 3 * (2 * DEEP_STEP); \
    for (int q = tid; q < 1024; q += 256) { u64 from = (u64)(q >> 6) * (u64)(blocks * 256) + piece * 512 + (q & 63) * 8; \
      copy16(to + q * 16, A + (row0 >> 3) * (u64)(blocks * 256) + from); \
      copy16(to + DEEP_STEP + q * 16, B + (j >> 3) * (u64)(blocks * 256) + from); } \
    if (piece == 0) { \
      if (tid < COLUMNS * 32) copy16(uv + ((i & 1) * COLUMNS * 128 + tid * 4) * 4, v + (tid >> 5) * ldv + j + (tid & 31) * 4); \
      if (tid >= 224) copy16(uh + ((i & 1) * 128 + (tid - 224) * 4) * 4, right_norms + j + (tid - 224) * 4); } }
  if (steps > 0) FETCH_DEEP(0)
  copies_end();
  if (steps > 1) FETCH_DEEP(1)
  copies_end();
  u32 mine = (lane & 7) * 16;
  u32 at_a = (down * 4 + ((lane >> 3) & 1)) * 1024 + (lane >> 4) * 128 + mine, at_b = DEEP_STEP + (across * 8 + ((lane >> 4) & 1)) * 1024 + ((lane >> 3) & 1) * 128 + mine;
  float q[2][32];
  for (int step = 0; step < steps; step++) {
    int i = step / pieces, piece = step % pieces;
    copies_wait<1>();
    __syncthreads();
    if (step + 2 < steps) FETCH_DEEP(step + 2)
    copies_end();
    if (piece == 0) {
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int e = 0; e < 32; e++) q[m][e] = 0.f;
    }
    u32 here = base + step % 3 * (2 * DEEP_STEP);
#pragma unroll
    for (int k = 0; k < 2; k++) {
      u32 high[2][4], low[2][4];
#pragma unroll
      for (int m = 0; m < 2; m++) load4(high[m], here + at_a + m * 2048 + k * 512), load4(low[m], here + at_a + m * 2048 + k * 512 + 256);
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        u32 b[4], l[4];
        load4(b, here + at_b + j * 1024 + k * 512);
        load4(l, here + at_b + j * 1024 + k * 512 + 256);
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
          for (int o = 0; o < 2; o++) {
            float* d = q[m] + 4 * (j + o);
            multiply(d, low[m], b[2 * o], b[2 * o + 1]);
            multiply(d, high[m], l[2 * o], l[2 * o + 1]);
            multiply(d, high[m], b[2 * o], b[2 * o + 1]);
          }
      }
    }
    if (piece == pieces - 1) {
#pragma unroll
      for (int j = 0; j < 8; j++) {
        float2 h = *(const float2*)(sh + (i & 1) * 128 + across * 64 + j * 8 + 2 * t);
#pragma unroll
        for (int m = 0; m < 2; m++)
#pragma unroll
          for (int e = 0; e < 4; e++) q[m][4 * j + e] += ha[m][e >> 1] + (e & 1 ? h.y : h.x);
      }
#pragma unroll
      for (int m = 0; m < 2; m++) {
        process<KIND, COLUMNS, 64, KIND == GAUSS ? 2 : 0>(q[m], acc[m], sv + (i & 1) * COLUMNS * 128 + across * 64, 128, t, s, 0, A, 0, B, 0, 0, 0);
        if ((i + 1) % (2 * FLUSH) == 0) settle<COLUMNS>(acc[m], total[m]);
      }
    }
  }
  copies_wait<0>();
  __syncthreads();
  double* sums = (double*)memory; // of the right half of the columns
#pragma unroll
  for (int m = 0; m < 2; m++) settle<COLUMNS>(acc[m], total[m]);
#pragma unroll
  for (int half = 1; half >= 0; half--) {
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          double x = total[m][c][h];
          x += __shfl_xor_sync(0xffffffffu, x, 1);
          x += __shfl_xor_sync(0xffffffffu, x, 2);
          int at = down * 32 + m * 16 + h * 8 + g;
          if (t == 0 && across == half) {
            if (half == 1) sums[c * 128 + at] = x;
            else if (row0 + at < na) out[((u64)blockIdx.y * COLUMNS + c) * na + row0 + at] = x + sums[c * 128 + at];
          }
        }
    __syncthreads();
  }
}
#define DEEP(KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(256, 2) deep_##KIND##_##COLUMNS(const u16* A, u64 na, const u16* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, int blocks, float a, float b, int n) { \
    deep<KIND, COLUMNS>(A, na, B, nb, chunk, v, ldv, out, blocks, shape{a, b, n}); \
  }
#define DEEPS(KIND) DEEP(KIND, 1) DEEP(KIND, 2)
DEEPS(0) DEEPS(2) DEEPS(3) DEEPS(4) DEEPS(5)
