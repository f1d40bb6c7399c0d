// The derivatives of Σ_ij W[i, j]·k(x_i, x_j), W = ½(Σ_t α_t α_tᵀ - T·A⁻¹), by the numbers of the steps of a tree and by the coordinates of the points, for all of them in one pass over the
// pairs: no matrix of derivatives is ever in memory. A block has 64 rows and goes through its columns 64 at a time; a thread of 256 has 4 × 4 of the pairs. It evaluates the tree as direct.cu does and
// keeps the value after each step; then it goes back through the steps with the derivative of the sum by the value at hand (A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 3).
//
// marks has two numbers for each step. The first is, for ADD and MUL, the step that their left operand ends with; for a step that starts an operand, the ADD or MUL whose left operand ends right
// before it: there the derivative by that operand was put aside. The second says which numbers of the step are wanted (1: a, 2: b); for a LOAD, whether it is the last of its source.
#define OURS 16
#define APART 65

template <int METRIC>
__device__ __forceinline__ void add_ours(double* m, const double (*sa)[APART], const double (*sb)[APART], int depth, int ty, int tx) {
  for (int k = 0; k < depth; k++) {
    double x[4], y[4];
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = sa[k][ty * 4 + i], y[i] = sb[k][tx + 16 * i];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        double& s = m[i * 4 + j];
        double e = x[i] - y[j];
        if (METRIC == INNER) s += x[i] * y[j];
        if (METRIC == SQDIST) s += e * e;
        if (METRIC == L1DIST) s += fabs(e);
        if (METRIC == CHISQ) { double t = x[i] + y[j]; if (t != 0) s += e * e / t; }
        if (METRIC == MINSUM) s += fmin(x[i], y[j]);
      }
  }
}

__device__ __forceinline__ void fetch_ours(const origin<double>& o, int k0, u64 row0, u64 col0, u64 n, double (*sa)[APART], double (*sb)[APART]) {
  int d = (int)o.d;
  __syncthreads();
  for (int q = threadIdx.x; q < 64 * 16; q += 256) {
    int r = q >> 4, k = q & 15;
    if (k0 + k < d) {
      sa[k][r] = o.a[min(row0 + r, n - 1) * d + k0 + k];
      sb[k][r] = o.b[min(col0 + r, n - 1) * d + k0 + k];
    }
  }
  __syncthreads();
}

__device__ void metric_ours(double* m, const origin<double>& o, u64 row0, u64 col0, u64 n, double (*sa)[APART], double (*sb)[APART]) {
  int ty = threadIdx.x >> 4, tx = threadIdx.x & 15, d = (int)o.d;
#pragma unroll
  for (int i = 0; i < OURS; i++) m[i] = 0;
  for (int k0 = 0; k0 < d; k0 += 16) {
    fetch_ours(o, k0, row0, col0, n, sa, sb);
    int depth = min(16, d - k0);
    switch (o.metric) {
    case INNER: add_ours<INNER>(m, sa, sb, depth, ty, tx); break;
    case SQDIST: add_ours<SQDIST>(m, sa, sb, depth, ty, tx); break;
    case L1DIST: add_ours<L1DIST>(m, sa, sb, depth, ty, tx); break;
    case CHISQ: add_ours<CHISQ>(m, sa, sb, depth, ty, tx); break;
    default: add_ours<MINSUM>(m, sa, sb, depth, ty, tx);
    }
  }
}

// by_first is ∂m(u, v)/∂u of one coordinate. At a kink it is the mean of the derivatives from both sides.
template <int METRIC>
__device__ __forceinline__ double by_first(double u, double v) {
  if (METRIC == INNER) return v;
  if (METRIC == SQDIST) return 2.0 * (u - v);
  if (METRIC == L1DIST) return u > v ? 1.0 : u < v ? -1.0 : 0.0;
  if (METRIC == CHISQ) { double t = u + v; if (t == 0) return 0.0; double q = v / t; return 1.0 - 4.0 * q * q; }
  return u < v ? 1.0 : u == v ? 0.5 : 0.0;
}

template <int METRIC>
__device__ __forceinline__ void add_rows(double* s, const double (*tile)[APART], const double (*sa)[APART], const double (*sb)[APART], int r, int c) {
  double u[4];
#pragma unroll
  for (int i = 0; i < 4; i++) u[i] = sa[c][r + 16 * i], s[i] = 0;
  for (int j = 0; j < 64; j++) {
    double v = sb[c][j];
#pragma unroll
    for (int i = 0; i < 4; i++) s[i] += tile[r + 16 * i][j] * by_first<METRIC>(u[i], v);
  }
}

// points_back adds 2·Σ_j g[i, j]·∂m(x_i, x_j)/∂x_i to the rows of this block: both sides are the same points, and g is symmetric.
__device__ void points_back(const double* g, const origin<double>& o, double* out, bool first, u64 row0, u64 col0, u64 n, double (*sa)[APART], double (*sb)[APART], double (*tile)[APART]) {
  int tid = threadIdx.x, ty = tid >> 4, tx = tid & 15, d = (int)o.d;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) tile[ty * 4 + i][tx + 16 * j] = g[i * 4 + j];
  for (int k0 = 0; k0 < d; k0 += 16) {
    fetch_ours(o, k0, row0, col0, n, sa, sb);
    if (k0 + tx >= d) continue;
    double s[4];
    switch (o.metric) {
    case INNER: add_rows<INNER>(s, tile, sa, sb, ty, tx); break;
    case SQDIST: add_rows<SQDIST>(s, tile, sa, sb, ty, tx); break;
    case L1DIST: add_rows<L1DIST>(s, tile, sa, sb, ty, tx); break;
    case CHISQ: add_rows<CHISQ>(s, tile, sa, sb, ty, tx); break;
    default: add_rows<MINSUM>(s, tile, sa, sb, ty, tx);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      u64 row = row0 + ty + 16 * i;
      if (row < n) {
        double* to = out + row * d + k0 + tx;
        *to = (first ? 0.0 : *to) + 2.0 * s[i];
      }
    }
  }
}

// weights sets g to W at the pairs of this thread, 0 beyond the last point. Of A⁻¹ the lower triangle is there.
__device__ void weights(double* g, const double* inverse, const double* alpha, int targets, u64 row0, u64 col0, u64 n, double (*tile)[APART]) {
  int tid = threadIdx.x, ty = tid >> 4, tx = tid & 15;
  bool below = row0 >= col0;
  __syncthreads();
  for (int q = tid; q < 64 * 64; q += 256) {
    int r = below ? q >> 6 : q & 63, c = below ? q & 63 : q >> 6;
    u64 i = row0 + r, j = col0 + c;
    tile[r][c] = i < n && j < n ? inverse[max(i, j) * n + min(i, j)] : 0.0;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) g[i * 4 + j] = -(double)targets * tile[ty * 4 + i][tx + 16 * j];
  for (int t = 0; t < targets; t++) {
    const double* a = alpha + (u64)t * n;
    double x[4], y[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      u64 r = row0 + ty * 4 + i, c = col0 + tx + 16 * i;
      x[i] = r < n ? a[r] : 0.0, y[i] = c < n ? a[c] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) g[i * 4 + j] += x[i] * y[j];
  }
#pragma unroll
  for (int i = 0; i < OURS; i++) g[i] *= 0.5;
}

// slow is what takes much code, once for all pairs: x^a, tanh x, (1 + ax)^b and log(1 + ax).
__device__ __noinline__ double slow(int op, double a, double b, double x) {
  switch (op) {
  case POWER: return pow(x, a);
  case TANH: return tanh(x);
  case RATIO: return exp(b * log1p(a * x));
  }
  return log1p(a * x);
}

__device__ __forceinline__ double power_of(double x, int e) {
  double p = 1;
  for (; e > 0; e >>= 1) { if (e & 1) p *= x; x *= x; }
  return p;
}

// step_on is the value after a step, of the value before it.
template <int OP>
__device__ __forceinline__ double step_on(int index, double a, double b, const double* table, double x) {
  if (OP == AFFINE) return a * x + b;
  if (OP == EXP) return exp(a * x);
  if (OP == SQRT) return sqrt(x);
  if (OP == POWERI) return power_of(x, index);
  if (OP == MATERN) {
    double z = a * sqrt(x), p = 0;
    for (int c = index - 1; c >= 0; c--) p = p * z + table[(int)b + c];
    double e = exp(-z);
    return e > 0 ? p * e : 0.0;
  }
  return slow(OP, a, b, x);
}

// step_back is the derivative of a step by the value x before it, y being the one after it; na and nb are those by its numbers.
template <int OP>
__device__ __forceinline__ double step_back(int index, double a, double b, const double* table, double x, double y, int wanted, double& na, double& nb) {
  na = nb = 0;
  if (OP == AFFINE) { na = x, nb = 1; return a; }
  if (OP == EXP) { na = x * y; return a * y; }
  if (OP == SQRT) return y > 0 ? 0.5 / y : 0.0;
  if (OP == TANH) return 1 - y * y;
  if (OP == POWERI) return index * power_of(x, index - 1);
  if (OP == POWER) { na = x > 0 ? y * log(x) : 0.0; return a * slow(POWER, a - 1, 0.0, x); }
  if (OP == RATIO) {
    double u = y / (1 + a * x);
    na = b * x * u;
    if (wanted & 2) nb = y * slow(LOAD, a, 0.0, x);
    return a * b * u;
  }
  // y = p(z)e^{-z}: dy/dz = (q₀ + z·r(z))e^{-z}, q = p' - p, and q₀ = 0 but for ν = 1/2, whose pole at 0 is taken as 0
  double root = sqrt(x), z = a * root, r = 0, e = exp(-z);
  const double* p = table + (int)b;
  for (int c = index - 1; c > 0; c--) r = r * z + ((c + 1 < index ? (c + 1) * p[c + 1] : 0.0) - p[c]);
  double q = (index > 1 ? p[1] : 0.0) - p[0];
  na = root * e * (q + z * r);
  return 0.5 * a * a * e * (r + (z > 0 ? q / z : 0.0));
}

template <int OP>
__device__ __forceinline__ void all_on(double* to, const double* from, int index, double a, double b, const double* table) {
#pragma unroll
  for (int i = 0; i < OURS; i++) to[i] = step_on<OP>(index, a, b, table, from[i]);
}

template <int OP>
__device__ __forceinline__ void all_back(double* g, double* sums, const double* after, const double* before, int index, double a, double b, const double* table, int wanted) {
  double sum_a = 0, sum_b = 0;
#pragma unroll
  for (int i = 0; i < OURS; i++) {
    double na, nb, slope = step_back<OP>(index, a, b, table, before[i], after[i], wanted, na, nb);
    sum_a += g[i] * na, sum_b += g[i] * nb;
    g[i] *= slope;
  }
  sums[0] += sum_a, sums[1] += sum_b;
}

#define EVERY(DO) case AFFINE: DO(AFFINE); break; case EXP: DO(EXP); break; case SQRT: DO(SQRT); break; case POWER: DO(POWER); break; case POWERI: DO(POWERI); break; \
  case TANH: DO(TANH); break; case RATIO: DO(RATIO); break; case MATERN: DO(MATERN); break;

template <int OPS>
__device__ void slopes(const origin<double>* origins, double* const* moved, const double* code, const int* marks, int ops, const double* table, u64 n, u64 chunk, const double* inverse, const double* alpha, int targets, double* numbers) {
  extern __shared__ __align__(16) double room[];
  double(*sa)[APART] = (double(*)[APART])room, (*sb)[APART] = sa + 16, (*tile)[APART] = sb + 16;
  __shared__ double of_warps[8];
  int tid = threadIdx.x;
  u64 row0 = (u64)blockIdx.x * 64, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, n);
  double tape[OPS][OURS], sums[2 * OPS];
  for (int s = 0; s < 2 * ops; s++) sums[s] = 0;
  for (u64 j = j0; j < j1; j += 64) {
    double g[OURS];
    for (int at = 0; at < ops; at++) {
      int op = (int)code[4 * at], index = (int)code[4 * at + 1];
      double a = code[4 * at + 2], b = code[4 * at + 3];
      if (op == LOAD) {
        metric_ours(g, origins[index], row0, j, n, sa, sb);
#pragma unroll
        for (int i = 0; i < OURS; i++) tape[at][i] = g[i];
        continue;
      }
#pragma unroll
      for (int i = 0; i < OURS; i++) {
        if (op == CONSTANT) tape[at][i] = a;
        if (op == ADD) tape[at][i] = tape[at - 1][i] + tape[marks[2 * at]][i];
        if (op == MUL) tape[at][i] = tape[at - 1][i] * tape[marks[2 * at]][i];
      }
#define ON(OP) all_on<OP>(tape[at], tape[at - 1], index, a, b, table)
      switch (op) { EVERY(ON) }
    }
    weights(g, inverse, alpha, targets, row0, j, n, tile);
    for (int at = ops - 1; at >= 0; at--) {
      int op = (int)code[4 * at], index = (int)code[4 * at + 1], other = marks[2 * at], wanted = marks[2 * at + 1];
      double a = code[4 * at + 2], b = code[4 * at + 3];
      if (op == LOAD || op == CONSTANT) {
        if (op == CONSTANT) {
          double s = 0;
#pragma unroll
          for (int i = 0; i < OURS; i++) s += g[i];
          sums[2 * at] += s;
        } else if (moved[index])
          points_back(g, origins[index], moved[index] + (u64)blockIdx.y * n * origins[index].d, j == j0 && wanted, row0, j, n, sa, sb, tile);
        if (at > 0) {
#pragma unroll
          for (int i = 0; i < OURS; i++) g[i] = tape[other][i];
        }
      } else if (op == ADD) {
#pragma unroll
        for (int i = 0; i < OURS; i++) tape[at][i] = g[i];
      } else if (op == MUL) {
#pragma unroll
        for (int i = 0; i < OURS; i++) {
          double left = tape[other][i], right = tape[at - 1][i];
          tape[at][i] = g[i] * right;
          g[i] *= left;
        }
      } else {
#define BACK(OP) all_back<OP>(g, sums + 2 * at, tape[at], tape[at - 1], index, a, b, table, wanted)
        switch (op) { EVERY(BACK) }
      }
    }
  }
  u64 block = (u64)blockIdx.y * gridDim.x + blockIdx.x;
  for (int s = 0; s < 2 * ops; s++) {
    double v = sums[s];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((tid & 31) == 0) of_warps[tid >> 5] = v;
    __syncthreads();
    if (tid == 0) {
      v = 0;
      for (int w = 0; w < 8; w++) v += of_warps[w];
      numbers[block * (2 * ops) + s] = v;
    }
  }
}
#define SLOPES(OPS) \
  extern "C" __global__ void __launch_bounds__(256) slopes_##OPS(const origin<double>* o, double* const* moved, const double* code, const int* marks, int ops, const double* table, u64 n, u64 chunk, const double* inverse, const double* alpha, int targets, double* numbers) { \
    slopes<OPS>(o, moved, code, marks, ops, table, n, chunk, inverse, alpha, targets, numbers); \
  }
SLOPES(8) SLOPES(64)

// totals adds the numbers of all blocks up: out[s] = Σ_p part[p·size + s], in an order that depends on nothing but their number.
extern "C" __global__ void __launch_bounds__(256) totals(const double* part, u64 parts, int size, double* out) {
  __shared__ double kept[256];
  int tid = threadIdx.x;
  double s = 0;
  for (u64 p = tid; p < parts; p += 256) s += part[p * size + blockIdx.x];
  kept[tid] = s;
  for (int o = 128; o > 0; o >>= 1) {
    __syncthreads();
    if (tid < o) kept[tid] += kept[tid + o];
  }
  if (tid == 0) out[blockIdx.x] = kept[0];
}
