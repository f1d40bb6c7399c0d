// Sums over profiles of a distance between points of few columns, by differences in double precision: out[s, c, i] = Σ_j κ(‖a_i - b_j‖²)·v[c, j] over the columns j of part s. Wherever points lie,
// differences have all of their digits. Multipliers of doubles are what bounds it: for three columns 6 operations are the distance, 9 the exponential and one the sum. A thread has eight rows in
// registers and meets the columns one by one (H200, 10¹² pairs: 1.20 s; four rows 1.25; products in place of differences 1.20; an exponential without a table, 12 operations, 1.42).
#define ROWS_EXACT 8
#define TILE_EXACT 128

// exp2_exact is 2^{c·s/32}, s ≥ 0 ≥ c, to 53 bits but the last, as good as 0 below 2^-1000, where the first half of s is above top: 2^{i/32} for i = 0…31, a number of each lane of the warp, times a polynomial that is off by 1.4e-16 for the rest.
__device__ __forceinline__ double exp2_exact(double s, double c, int high, int low, int top) {
  double z = fma(s, c, 6755399441055744.0), f = fma(s, c, -(z - 6755399441055744.0));
  int i = __double2loint(z);
  double p = 3.9737266313166245e-11;
  p = fma(p, f, 9.172616498159851e-09);
  p = fma(p, f, 1.6938509724215757e-06);
  p = fma(p, f, 0.0002345961981972034);
  p = fma(p, f, 0.02166084939249829);
  p = fma(p, f, 1.0);
  high = __shfl_sync(0xffffffffu, high, i) + (int)((u32)(i << 15) & 0xfff00000u);
  low = __shfl_sync(0xffffffffu, low, i);
  return p * __hiloint2double(__double2hiint(s) > top ? 0 : high, low);
}

template <int KIND>
__device__ __forceinline__ double of_square64(double s, double c, double k, int high, int low, int top) {
  if (KIND == GAUSS) return exp2_exact(s, c, high, low, top);
  double r = sqrt(s), e = exp2_exact(r, c, high, low, top);
  if (KIND == LAPLACE) return e;
  if (KIND == MATERN32) return fma(r, k, 1.0) * e;
  return fma(s, k * k * (1.0 / 3), fma(r, k, 1.0)) * e;
}

template <int D, int KIND, int COLUMNS>
__device__ __forceinline__ void exact(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, double* out, int d, double c, double k, int top) {
  constexpr int WORDS = (D + COLUMNS + 1) / 2 * 2; // of a column: its coordinates, then its entries of v
  __shared__ __align__(16) double tile[TILE_EXACT * WORDS];
  int tid = threadIdx.x;
  double part = exp2((double)(tid & 31) * (1.0 / 32));
  int high = __double2hiint(part), low = __double2loint(part);
  u64 first = (u64)blockIdx.x * (128 * ROWS_EXACT) + tid, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  double x[ROWS_EXACT][D], total[ROWS_EXACT][COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS_EXACT; i++) {
    u64 row = min(first + i * 128, na - 1);
#pragma unroll
    for (int e = 0; e < D; e++) x[i][e] = e < d ? A[row * d + e] : 0.0;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) total[i][q] = 0.0;
  }
  for (u64 j = j0; j < j1; j += TILE_EXACT) {
    __syncthreads();
    {
      u64 at = j + tid;
      bool is = at < j1;
      at = min(at, nb - 1);
#pragma unroll
      for (int e = 0; e < D; e++) tile[tid * WORDS + e] = e < d ? B[at * d + e] : 0.0;
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) tile[tid * WORDS + D + q] = is ? v[q * ldv + at] : 0.0;
    }
    __syncthreads();
#pragma unroll 2
    for (int q = 0; q < TILE_EXACT; q++) {
      double y[WORDS];
#pragma unroll
      for (int w = 0; w < WORDS; w += 2) *(double2*)(y + w) = *(const double2*)(tile + q * WORDS + w);
#pragma unroll
      for (int i = 0; i < ROWS_EXACT; i++) {
        double s = 0.0;
#pragma unroll
        for (int e = 0; e < D; e++) {
          double t = x[i][e] - y[e];
          s = e == 0 ? t * t : fma(t, t, s);
        }
        double value = of_square64<KIND>(s, c, k, high, low, top);
#pragma unroll
        for (int w = 0; w < COLUMNS; w++) total[i][w] = fma(value, y[D + w], total[i][w]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < ROWS_EXACT; i++)
#pragma unroll
    for (int q = 0; q < COLUMNS; q++)
      if (first + i * 128 < na) out[((u64)blockIdx.y * COLUMNS + q) * na + first + i * 128] = total[i][q];
}
#define EXACT(D, KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(128) exact_##D##_##KIND##_##COLUMNS(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, double* out, int d, double c, double k, int top) { \
    exact<D, KIND, COLUMNS>(A, na, B, nb, chunk, v, ldv, out, d, c, k, top); \
  }
#define EXACTS(D, KIND) EXACT(D, KIND, 1) EXACT(D, KIND, 2)
#define EXACT_KINDS(D) EXACTS(D, 0) EXACTS(D, 1) EXACTS(D, 2) EXACTS(D, 3)
EXACT_KINDS(1) EXACT_KINDS(2) EXACT_KINDS(3) EXACT_KINDS(4) EXACT_KINDS(8)
