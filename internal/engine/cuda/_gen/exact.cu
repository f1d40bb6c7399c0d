// Sums over profiles of a distance between points of few columns, by differences in double precision: out[s, c, i] = Σ_j κ(‖a_i - b_j‖²)·v[c, j] over the columns j of part s. Wherever points lie,
// differences have all of their digits. Multipliers of doubles are what bounds it: for three columns 6 operations are the distance, 9 the exponential and one the sum. A thread has eight rows in
// registers and meets the columns one by one (H200, 10¹² pairs: 1.20 s; four rows 1.25; products in place of differences 1.20; an exponential without a table, 12 operations, 1.42).
#define ROWS_EXACT 8
#define TILE_EXACT 128

// exp2_rest is 2^{f/32}, |f| ≤ ½, by a polynomial that is off by 1.4e-16.
__device__ __forceinline__ double exp2_rest(double f) {
  double p = 3.9737266313166245e-11;
  p = fma(p, f, 9.172616498159851e-09);
  p = fma(p, f, 1.6938509724215757e-06);
  p = fma(p, f, 0.0002345961981972034);
  p = fma(p, f, 0.02166084939249829);
  return fma(p, f, 1.0);
}

// exp2_exact is 2^{c·s/32}, s ≥ 0 ≥ c, to 53 bits but the last, as good as 0 below 2^-1000, where the first half of s is above top: 2^{i/32} for i = 0…31, a number of each lane of the warp, times a polynomial for the rest.
__device__ __forceinline__ double exp2_exact(double s, double c, int high, int low, int top) {
  double z = fma(s, c, 6755399441055744.0), f = fma(s, c, -(z - 6755399441055744.0));
  int i = __double2loint(z);
  double p = exp2_rest(f);
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

// Sums over Gaussians of points of up to three columns that do not reach too far: out[s, c, i] = Σ_j 2^{-½‖a_i - b_j‖²/32}·v[c, j] in coordinates times scale. The exponent is one matrix instruction
// for doubles, four numbers deep: three coordinates with those of the other side, 1 with -½‖b‖², and -½‖a‖² is what is added to. 11 operations of multipliers are left of 16, and the weights are
// multiplied with once for all columns of a stage where they are the same (H200, 10¹² pairs: 0.98 s; by differences 1.28; 16 operations are 0.96, so that they are not what bounds it any more).
#define ROWS_NEAR 32 // of a warp
// near_stage adds a stage of columns, of which each weight is the same where SAME: to part, else weighted to total.
template <bool SAME, int COLUMNS>
__device__ __forceinline__ void near_stage(const double* tile, const double* weight, const double (&a)[2][2], const double (&norm)[2][2], double (&part)[2][2], double (&total)[2][2][COLUMNS], int high, int low, int g, int t) {
#pragma unroll 2
  for (int k = 0; k < TILE_EXACT; k += 8) {
    double b = tile[(k + g) * 4 + t];
#pragma unroll
    for (int m = 0; m < 2; m++) {
      double q[4];
#if __CUDA_ARCH__ >= 900
      asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%8,%8};"
        : "=d"(q[0]), "=d"(q[1]), "=d"(q[2]), "=d"(q[3]) : "d"(a[m][0]), "d"(a[m][1]), "d"(b), "d"(norm[m][0]), "d"(norm[m][1]));
#else
#pragma unroll
      for (int h = 0; h < 2; h++)
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%4};" : "=d"(q[2 * h]), "=d"(q[2 * h + 1]) : "d"(a[m][h]), "d"(b), "d"(norm[m][h]));
#endif
#pragma unroll
      for (int e = 0; e < 4; e++) {
        double z = q[e] + 6755399441055744.0, p = exp2_rest(q[e] - (z - 6755399441055744.0));
        int i = __double2loint(z), under = max(i, -32000) & ~31; // as good as 0 below 2^-1000
        double h = __hiloint2double(__shfl_sync(0xffffffffu, high, i) + (under << 15), __shfl_sync(0xffffffffu, low, i));
        if (SAME) part[m][e >> 1] = fma(p, h, part[m][e >> 1]);
        else {
          p *= h;
#pragma unroll
          for (int c = 0; c < COLUMNS; c++) total[m][e >> 1][c] = fma(p, weight[c * TILE_EXACT + k + 2 * t + (e & 1)], total[m][e >> 1][c]);
        }
      }
    }
  }
}

template <int COLUMNS>
__device__ __forceinline__ void near_sums(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, double* out, int d, double scale) {
  __shared__ __align__(16) double tile[TILE_EXACT * 4], weight[COLUMNS][TILE_EXACT];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, g = lane >> 2, t = lane & 3;
  double whole = exp2((double)lane * (1.0 / 32));
  int high = __double2hiint(whole), low = __double2loint(whole);
  u64 first = (u64)blockIdx.x * (4 * ROWS_NEAR) + warp * ROWS_NEAR + g, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  double a[2][2], norm[2][2], total[2][2][COLUMNS]; // rows m·16 + h·8 + g
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      u64 row = min(first + m * 16 + h * 8, na - 1);
      double s = 0.0;
      a[m][h] = 1.0;
      for (int e = 0; e < d; e++) {
        double x = A[row * d + e] * scale;
        s = fma(x, x, s);
        if (e == t) a[m][h] = x;
      }
      if (t < 3 && t >= d) a[m][h] = 0.0;
      norm[m][h] = -0.5 * s;
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) total[m][h][q] = 0.0;
    }
  for (u64 j = j0; j < j1; j += TILE_EXACT) {
    __syncthreads();
    u64 at = j + tid;
    bool same = at < j1;
    {
      u64 from = min(at, nb - 1);
      double s = 0.0;
#pragma unroll
      for (int e = 0; e < 3; e++) {
        double x = e < d ? B[from * d + e] * scale : 0.0;
        tile[tid * 4 + e] = x;
        s = fma(x, x, s);
      }
      tile[tid * 4 + 3] = -0.5 * s;
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) {
        double w = at < j1 ? v[q * ldv + at] : 0.0;
        weight[q][tid] = w;
        same = same && w == v[q * ldv + j];
      }
    }
    same = __syncthreads_and(same);
    double part[2][2] = {};
    if (!same) {
      near_stage<false, COLUMNS>(tile, weight[0], a, norm, part, total, high, low, g, t);
      continue;
    }
    near_stage<true, COLUMNS>(tile, weight[0], a, norm, part, total, high, low, g, t);
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) total[m][h][c] = fma(part[m][h], weight[c][0], total[m][h][c]);
  }
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        double x = total[m][h][c];
        x += __shfl_xor_sync(0xffffffffu, x, 1);
        x += __shfl_xor_sync(0xffffffffu, x, 2);
        u64 row = first + m * 16 + h * 8;
        if (t == 0 && row < na) out[((u64)blockIdx.y * COLUMNS + c) * na + row] = x;
      }
}
#define NEAR_SUMS(COLUMNS) \
  extern "C" __global__ void __launch_bounds__(128, 5 - COLUMNS) near_##COLUMNS(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, double* out, int d, double scale) { \
    near_sums<COLUMNS>(A, na, B, nb, chunk, v, ldv, out, d, scale); \
  }
NEAR_SUMS(1) NEAR_SUMS(2)
