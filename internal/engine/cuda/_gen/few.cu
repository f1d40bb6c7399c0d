// Sums over profiles of a distance between points of few columns, by differences: out[s, c, i] = Σ_j κ(‖a_i - b_j‖²)·v[c, j] over the columns j of part s. Coordinates
// are D floats a row in the memory of the device (d of them, the rest 0), scaled so that the Gaussian is 2^{-s} and the rational quadratic (1 + s)^a. A thread has eight
// rows in registers and meets the columns one by one: a pair is 2D + 1 operations of the multipliers for each exponential, which for D = 3 keep both at work.
#define MINE 8
#define TILE 128

template <int KIND>
__device__ __forceinline__ float of_square(float s, float a) {
  if (KIND == GAUSS) return exp2_unit(-s);
  if (KIND == RATIONAL) return exp2_unit(a * log2_unit(1.f + s));
  float r = sqrt_unit(s), e = exp2_unit(-r);
  if (KIND == LAPLACE) return e;
  if (KIND == MATERN32) return fmaf(r, 0.69314718f, 1.f) * e;
  return fmaf(s, 0.16015100f, fmaf(r, 0.69314718f, 1.f)) * e;
}

template <int D, int KIND, int COLUMNS>
__device__ __forceinline__ void few(const float* A, u64 na, const float* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, float a) {
  constexpr int WORDS = (D + COLUMNS + 3) / 4 * 4; // of a column: its coordinates, then its entries of v
  __shared__ __align__(16) float tile[TILE * WORDS];
  int tid = threadIdx.x;
  u64 first = (u64)blockIdx.x * (128 * MINE) + tid, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  float x[MINE][D];
  double total[MINE][COLUMNS];
#pragma unroll
  for (int i = 0; i < MINE; i++) {
    u64 row = min(first + i * 128, na - 1);
#pragma unroll
    for (int k = 0; k < D; k++) x[i][k] = k < d ? A[row * d + k] : 0.f;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) total[i][c] = 0.0;
  }
  for (u64 j = j0; j < j1; j += TILE) {
    __syncthreads();
    {
      u64 at = j + tid;
      bool is = at < j1;
      at = min(at, nb - 1);
#pragma unroll
      for (int k = 0; k < D; k++) tile[tid * WORDS + k] = k < d ? B[at * d + k] : 0.f;
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) tile[tid * WORDS + D + c] = is ? v[c * ldv + at] : 0.f;
    }
    __syncthreads();
    float sum[MINE][COLUMNS];
#pragma unroll
    for (int i = 0; i < MINE; i++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) sum[i][c] = 0.f;
#pragma unroll 4
    for (int q = 0; q < TILE; q++) {
      float y[WORDS];
#pragma unroll
      for (int w = 0; w < WORDS; w += 4) *(float4*)(y + w) = *(const float4*)(tile + q * WORDS + w);
#pragma unroll
      for (int i = 0; i < MINE; i++) {
        float s = 0.f;
#pragma unroll
        for (int k = 0; k < D; k++) {
          float e = x[i][k] - y[k];
          s = k == 0 ? e * e : fmaf(e, e, s);
        }
        float value = of_square<KIND>(s, a);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sum[i][c] = fmaf(value, y[D + c], sum[i][c]);
      }
    }
#pragma unroll
    for (int i = 0; i < MINE; i++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) total[i][c] += (double)sum[i][c];
  }
#pragma unroll
  for (int i = 0; i < MINE; i++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (first + i * 128 < na) out[((u64)blockIdx.y * COLUMNS + c) * na + first + i * 128] = total[i][c];
}
#define FEW(D, KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(128) few_##D##_##KIND##_##COLUMNS(const float* A, u64 na, const float* B, u64 nb, u64 chunk, const float* v, u64 ldv, double* out, int d, float a) { \
    few<D, KIND, COLUMNS>(A, na, B, nb, chunk, v, ldv, out, d, a); \
  }
#define FEWS(D, KIND) FEW(D, KIND, 1) FEW(D, KIND, 2)
#define FEW_KINDS(D) FEWS(D, 0) FEWS(D, 1) FEWS(D, 2) FEWS(D, 3) FEWS(D, 4)
FEW_KINDS(1) FEW_KINDS(2) FEW_KINDS(3) FEW_KINDS(4) FEW_KINDS(8)
