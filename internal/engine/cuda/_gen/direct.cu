// Sums over κ of any tree of kernels, by differences of coordinates, in float or double: out[s, c, i] = Σ_j k(a_i, b_j)·v[c, j] over the columns j of
// part s. A block has 64 rows and goes through its columns 64 at a time; a thread has 4 × 8 of the pairs. The tree is a list of
// operations on such pieces (the same for all threads): {operation, index, a, b}, what waits being kept on a stack.
enum { LOAD, CONSTANT, AFFINE, EXP, SQRT, POWER, POWERI, TANH, MATERN, ADD, MUL, RATIO };
enum { INNER, SQDIST, L1DIST, CHISQ, MINSUM };

template <class F> struct origin { const F* a; const F* b; u64 d; u64 metric; };

__device__ __forceinline__ float f_exp(float x) { return expf(x); }
__device__ __forceinline__ double f_exp(double x) { return exp(x); }
__device__ __forceinline__ float f_sqrt(float x) { return sqrtf(x); }
__device__ __forceinline__ double f_sqrt(double x) { return sqrt(x); }
__device__ __forceinline__ float f_pow(float x, float y) { return powf(x, y); }
__device__ __forceinline__ double f_pow(double x, double y) { return pow(x, y); }
__device__ __forceinline__ float f_tanh(float x) { return tanhf(x); }
__device__ __forceinline__ double f_tanh(double x) { return tanh(x); }
__device__ __forceinline__ float f_log1p(float x) { return log1pf(x); }
__device__ __forceinline__ double f_log1p(double x) { return log1p(x); }
__device__ __forceinline__ float f_abs(float x) { return fabsf(x); }
__device__ __forceinline__ double f_abs(double x) { return fabs(x); }
__device__ __forceinline__ float f_min(float x, float y) { return fminf(x, y); }
__device__ __forceinline__ double f_min(double x, double y) { return fmin(x, y); }

#define SIDE 64
#define DEEP 16
#define PIECES 32 // 4 rows × 8 columns
#define STACK 4

template <class F, int METRIC>
__device__ __forceinline__ void add_metric(F* m, const F (*sa)[SIDE + 4], const F (*sb)[SIDE + 4], int depth, int ty, int tx) {
  for (int k = 0; k < depth; k++) {
    F x[4], y[8];
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = sa[k][ty * 4 + i];
#pragma unroll
    for (int j = 0; j < 8; j++) y[j] = sb[k][tx + 8 * j];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) {
        F& s = m[i * 8 + j];
        if (METRIC == INNER) s += x[i] * y[j];
        F e = x[i] - y[j];
        if (METRIC == SQDIST) s += e * e;
        if (METRIC == L1DIST) s += f_abs(e);
        if (METRIC == CHISQ) { F t = x[i] + y[j]; if (t != 0) s += e * e / t; }
        if (METRIC == MINSUM) s += f_min(x[i], y[j]);
      }
  }
}

template <class F>
__device__ void metric(F* m, const origin<F>& o, u64 row0, u64 na, u64 col0, u64 nb, F (*sa)[SIDE + 4], F (*sb)[SIDE + 4]) {
  int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7, d = (int)o.d;
#pragma unroll
  for (int i = 0; i < PIECES; i++) m[i] = 0;
  for (int k0 = 0; k0 < d; k0 += DEEP) {
    int depth = min(DEEP, d - k0);
    __syncthreads();
    for (int q = tid; q < SIDE * DEEP; q += 128) {
      int r = q / DEEP, k = q % DEEP;
      if (k < depth) {
        sa[k][r] = o.a[min(row0 + r, na - 1) * d + k0 + k];
        sb[k][r] = o.b[min(col0 + r, nb - 1) * d + k0 + k];
      }
    }
    __syncthreads();
    switch (o.metric) {
    case INNER: add_metric<F, INNER>(m, sa, sb, depth, ty, tx); break;
    case SQDIST: add_metric<F, SQDIST>(m, sa, sb, depth, ty, tx); break;
    case L1DIST: add_metric<F, L1DIST>(m, sa, sb, depth, ty, tx); break;
    case CHISQ: add_metric<F, CHISQ>(m, sa, sb, depth, ty, tx); break;
    default: add_metric<F, MINSUM>(m, sa, sb, depth, ty, tx);
    }
  }
}

// values sets m to the kernel at the pairs of this thread.
template <class F>
__device__ void values(F* m, const origin<F>* origins, const double* code, int ops, const double* table, u64 row0, u64 na, u64 col0, u64 nb, F (*sa)[SIDE + 4], F (*sb)[SIDE + 4]) {
  F kept[STACK][PIECES];
  int height = 0;
  for (int at = 0; at < ops; at++) {
    int op = (int)code[4 * at], index = (int)code[4 * at + 1];
    F a = (F)code[4 * at + 2], b = (F)code[4 * at + 3];
    if ((op == LOAD || op == CONSTANT) && at > 0) {
#pragma unroll
      for (int i = 0; i < PIECES; i++) kept[height][i] = m[i];
      height++;
    }
    if (op == ADD || op == MUL) height--;
    switch (op) {
    case LOAD: metric(m, origins[index], row0, na, col0, nb, sa, sb); break;
#define EACH(expression) _Pragma("unroll") for (int i = 0; i < PIECES; i++) { F x = m[i]; (void)x; m[i] = (expression); } break;
    case CONSTANT: EACH(a)
    case AFFINE: EACH(a * x + b)
    case EXP: EACH(f_exp(a * x))
    case SQRT: EACH(f_sqrt(x))
    case POWER: EACH(f_pow(x, a))
    case TANH: EACH(f_tanh(x))
    case RATIO: EACH(f_exp(b * f_log1p(a * x)))
    case ADD: EACH(x + kept[height][i])
    case MUL: EACH(x * kept[height][i])
    case POWERI:
#pragma unroll
      for (int i = 0; i < PIECES; i++) {
        F x = m[i], p = 1;
        for (int e = index; e > 0; e >>= 1) { if (e & 1) p *= x; x *= x; }
        m[i] = p;
      }
      break;
    case MATERN: // index coefficients in the table from b on, of p(z)e^{-z}, z = a·√x
#pragma unroll
      for (int i = 0; i < PIECES; i++) {
        F z = a * f_sqrt(m[i]), p = 0;
        for (int c = index - 1; c >= 0; c--) p = p * z + (F)table[(int)b + c];
        F e = f_exp(-z);
        m[i] = e > 0 ? p * e : 0;
      }
      break;
    }
  }
}

#define WIDEST 4

template <class F>
__device__ void direct(const origin<F>* origins, const double* code, int ops, const double* table, u64 na, u64 nb, u64 chunk, const F* v, u64 ldv, int columns, double* out) {
  __shared__ F sa[DEEP][SIDE + 4], sb[DEEP][SIDE + 4], sv[WIDEST][SIDE];
  int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7;
  u64 row0 = (u64)blockIdx.x * SIDE, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  double total[4][WIDEST];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int c = 0; c < WIDEST; c++) total[i][c] = 0;
  for (u64 j = j0; j < j1; j += SIDE) {
    F m[PIECES];
    __syncthreads();
    for (int q = tid; q < SIDE * columns; q += 128) sv[q / SIDE][q % SIDE] = j + q % SIDE < j1 ? v[(u64)(q / SIDE) * ldv + j + q % SIDE] : (F)0;
    __syncthreads();
    values(m, origins, code, ops, table, row0, na, j, nb, sa, sb);
#pragma unroll
    for (int c = 0; c < WIDEST; c++)
      if (c < columns) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          F s = 0;
#pragma unroll
          for (int e = 0; e < 8; e++) s += m[i * 8 + e] * sv[c][tx + 8 * e];
          total[i][c] += (double)s;
        }
      }
  }
#pragma unroll
  for (int c = 0; c < WIDEST; c++)
    if (c < columns) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        double s = total[i][c];
        for (int lane = 1; lane < 8; lane *= 2) s += __shfl_xor_sync(0xffffffffu, s, lane);
        u64 row = row0 + ty * 4 + i;
        if (tx == 0 && row < na) out[((u64)blockIdx.y * columns + c) * na + row] = s;
      }
    }
}
extern "C" __global__ void __launch_bounds__(128) direct32(const origin<float>* o, const double* code, int ops, const double* table, u64 na, u64 nb, u64 chunk, const float* v, u64 ldv, int columns, double* out) {
  direct<float>(o, code, ops, table, na, nb, chunk, v, ldv, columns, out);
}
extern "C" __global__ void __launch_bounds__(128) direct64(const origin<double>* o, const double* code, int ops, const double* table, u64 na, u64 nb, u64 chunk, const double* v, u64 ldv, int columns, double* out) {
  direct<double>(o, code, ops, table, na, nb, chunk, v, ldv, columns, out);
}

// matrix sets out[i·ld + j] = scale·k(a_i, b_j) + (i = j ? ridge : 0) for j ≤ i and somewhat beyond, in double precision or rounded to single: points on both sides are the same.
template <class OUT>
__device__ __forceinline__ void matrix(const origin<double>* o, const double* code, int ops, const double* table, u64 na, u64 nb, double scale, double ridge, OUT* out, u64 ld) {
  __shared__ double sa[DEEP][SIDE + 4], sb[DEEP][SIDE + 4];
  int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7;
  u64 row0 = (u64)blockIdx.x * SIDE, j0 = (u64)blockIdx.y * SIDE;
  if (j0 > row0) return;
  double m[PIECES];
  values(m, o, code, ops, table, row0, na, j0, nb, sa, sb);
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int e = 0; e < 8; e++) {
      u64 r = row0 + ty * 4 + i, j = j0 + tx + 8 * e;
      if (r < na && j < nb) out[r * ld + j] = (OUT)(scale * m[i * 8 + e] + (r == j ? ridge : 0.0));
    }
}
extern "C" __global__ void __launch_bounds__(128) matrix64(const origin<double>* o, const double* code, int ops, const double* table, u64 na, u64 nb, double scale, double ridge, double* out, u64 ld) {
  matrix<double>(o, code, ops, table, na, nb, scale, ridge, out, ld);
}
extern "C" __global__ void __launch_bounds__(128) rounded64(const origin<double>* o, const double* code, int ops, const double* table, u64 na, u64 nb, double scale, double ridge, float* out, u64 ld) {
  matrix<float>(o, code, ops, table, na, nb, scale, ridge, out, ld);
}

// square32 sets out[i·n + j] = k(a_i, a_j), made in double precision, for the first of n points: as many as of[2] says, none where of[0] is not 0.
extern "C" __global__ void __launch_bounds__(128) square32(const origin<double>* o, const double* code, int ops, const double* table, u64 n, u64 same, const int* of, float* out) {
  __shared__ double sa[DEEP][SIDE + 4], sb[DEEP][SIDE + 4];
  int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7;
  u64 row0 = (u64)blockIdx.x * SIDE, j0 = (u64)blockIdx.y * SIDE, last = (u64)of[2];
  if (of[0] || row0 >= last || j0 >= last) return;
  double m[PIECES];
  values(m, o, code, ops, table, row0, n, j0, same, sa, sb);
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int e = 0; e < 8; e++) {
      u64 r = row0 + ty * 4 + i, j = j0 + tx + 8 * e;
      if (r < n && j < same) out[r * same + j] = (float)m[i * 8 + e];
    }
}

// rectangle64 sets out[i·ld + j] = k(a_i, b_j) for all pairs.
extern "C" __global__ void __launch_bounds__(128) rectangle64(const origin<double>* o, const double* code, int ops, const double* table, u64 na, u64 nb, double* out, u64 ld) {
  __shared__ double sa[DEEP][SIDE + 4], sb[DEEP][SIDE + 4];
  int tid = threadIdx.x, ty = tid >> 3, tx = tid & 7;
  u64 row0 = (u64)blockIdx.x * SIDE, j0 = (u64)blockIdx.y * SIDE;
  double m[PIECES];
  values(m, o, code, ops, table, row0, na, j0, nb, sa, sb);
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int e = 0; e < 8; e++) {
      u64 r = row0 + ty * 4 + i, j = j0 + tx + 8 * e;
      if (r < na && j < nb) out[r * ld + j] = m[i * 8 + e];
    }
}
