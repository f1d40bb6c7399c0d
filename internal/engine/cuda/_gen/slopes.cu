// The derivatives of Σ_ij W[i, j]·k(x_i, x_j), W = ½(Σ_t α_t α_tᵀ - T·A⁻¹) or any weights, by the numbers of the steps of a tree and by the coordinates of the points, for all of them in one pass over the
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

__device__ __forceinline__ void fetch_ours(const origin<double>& o, int k0, u64 row0, u64 col0, u64 na, u64 nb, double (*sa)[APART], double (*sb)[APART]) {
  int d = (int)o.d;
  __syncthreads();
  for (int q = threadIdx.x; q < 64 * 16; q += 256) {
    int r = q >> 4, k = q & 15;
    if (k0 + k < d) {
      sa[k][r] = o.a[min(row0 + r, na - 1) * d + k0 + k];
      sb[k][r] = o.b[min(col0 + r, nb - 1) * d + k0 + k];
    }
  }
  __syncthreads();
}

__device__ void metric_ours(double* m, const origin<double>& o, u64 row0, u64 col0, u64 na, u64 nb, double (*sa)[APART], double (*sb)[APART]) {
  int ty = threadIdx.x >> 4, tx = threadIdx.x & 15, d = (int)o.d;
#pragma unroll
  for (int i = 0; i < OURS; i++) m[i] = 0;
  for (int k0 = 0; k0 < d; k0 += 16) {
    fetch_ours(o, k0, row0, col0, na, nb, sa, sb);
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

template <int METRIC>
__device__ __forceinline__ void add_columns(double* s, const double (*tile)[APART], const double (*sa)[APART], const double (*sb)[APART], int r, int c) {
  double u[4];
#pragma unroll
  for (int i = 0; i < 4; i++) u[i] = sb[c][r + 16 * i], s[i] = 0;
  for (int j = 0; j < 64; j++) {
    double v = sa[c][j];
#pragma unroll
    for (int i = 0; i < 4; i++) s[i] += tile[j][r + 16 * i] * by_first<METRIC>(u[i], v);
  }
}

template <int METRIC>
__device__ __forceinline__ void add_side(double* s, bool rows, const double (*tile)[APART], const double (*sa)[APART], const double (*sb)[APART], int r, int c) {
  if (rows) add_rows<METRIC>(s, tile, sa, sb, r, c);
  else add_columns<METRIC>(s, tile, sa, sb, r, c);
}

// side is where the derivatives by the points of one side go: times·Σ g[i, j]·∂m(x_i, y_j), added to what is there unless it is the first of them; nowhere where it is nil.
struct side { double* to; bool first; double times; };

__device__ void points_back(const double* g, const origin<double>& o, side rows, side columns, u64 row0, u64 col0, u64 na, u64 nb, double (*sa)[APART], double (*sb)[APART], double (*tile)[APART]) {
  int tid = threadIdx.x, ty = tid >> 4, tx = tid & 15, d = (int)o.d;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) tile[ty * 4 + i][tx + 16 * j] = g[i * 4 + j];
  for (int k0 = 0; k0 < d; k0 += 16) {
    fetch_ours(o, k0, row0, col0, na, nb, sa, sb);
    if (k0 + tx >= d) continue;
    for (int which = 0; which < 2; which++) {
      side at = which ? columns : rows;
      if (!at.to) continue;
      double s[4];
      switch (o.metric) {
      case INNER: add_side<INNER>(s, !which, tile, sa, sb, ty, tx); break;
      case SQDIST: add_side<SQDIST>(s, !which, tile, sa, sb, ty, tx); break;
      case L1DIST: add_side<L1DIST>(s, !which, tile, sa, sb, ty, tx); break;
      case CHISQ: add_side<CHISQ>(s, !which, tile, sa, sb, ty, tx); break;
      default: add_side<MINSUM>(s, !which, tile, sa, sb, ty, tx);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        u64 p = (which ? col0 : row0) + ty + 16 * i;
        if (p < (which ? nb : na)) {
          double* to = at.to + p * d + k0 + tx;
          *to = (at.first ? 0.0 : *to) + at.times * s[i];
        }
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

// rectangle_weights sets g to scale_i·w[i, j] + Σ_t left[t, i]·right[t, j] at the pairs of this thread, 0 beyond the last points.
__device__ void rectangle_weights(double* g, const double* w, const double* scale, const double* left, u64 apart, const double* right, int targets, u64 row0, u64 col0, u64 na, u64 nb) {
  int ty = threadIdx.x >> 4, tx = threadIdx.x & 15;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    u64 r = row0 + ty * 4 + i;
    double s = r < na ? scale ? scale[r] : 1.0 : 0.0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      u64 c = col0 + tx + 16 * j;
      g[i * 4 + j] = r < na && c < nb ? s * w[r * nb + c] : 0.0;
    }
  }
  for (int t = 0; t < targets; t++) {
    double x[4], y[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      u64 r = row0 + ty * 4 + i, c = col0 + tx + 16 * i;
      x[i] = r < na ? left[t * apart + r] : 0.0, y[i] = c < nb ? right[t * nb + c] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) g[i * 4 + j] += x[i] * y[j];
  }
}

// told is the tree with its marks.
struct told { const origin<double>* origins; const double* code; const int* marks; int ops; const double* table; };

// forward keeps the value after each step at the pairs of this thread.
template <int OPS>
__device__ __forceinline__ void forward(double (*tape)[OURS], const told& t, u64 row0, u64 col0, u64 na, u64 nb, double (*sa)[APART], double (*sb)[APART]) {
  double g[OURS];
  const double* table = t.table;
  for (int at = 0; at < t.ops; at++) {
    int op = (int)t.code[4 * at], index = (int)t.code[4 * at + 1];
    double a = t.code[4 * at + 2], b = t.code[4 * at + 3];
    if (op == LOAD) {
      metric_ours(g, t.origins[index], row0, col0, na, nb, sa, sb);
#pragma unroll
      for (int i = 0; i < OURS; i++) tape[at][i] = g[i];
      continue;
    }
#pragma unroll
    for (int i = 0; i < OURS; i++) {
      if (op == CONSTANT) tape[at][i] = a;
      if (op == ADD) tape[at][i] = tape[at - 1][i] + tape[t.marks[2 * at]][i];
      if (op == MUL) tape[at][i] = tape[at - 1][i] * tape[t.marks[2 * at]][i];
    }
#define ON(OP) all_on<OP>(tape[at], tape[at - 1], index, a, b, table)
    switch (op) { EVERY(ON) }
  }
}

// backward goes back through the steps with the derivatives g by the value; load is called with those by a metric.
template <int OPS, class LOADS>
__device__ __forceinline__ void backward(double (*tape)[OURS], double* g, double* sums, const told& t, LOADS load) {
  const double* table = t.table;
  for (int at = t.ops - 1; at >= 0; at--) {
    int op = (int)t.code[4 * at], index = (int)t.code[4 * at + 1], other = t.marks[2 * at], wanted = t.marks[2 * at + 1];
    double a = t.code[4 * at + 2], b = t.code[4 * at + 3];
    if (op == LOAD || op == CONSTANT) {
      if (op == CONSTANT) {
        double s = 0;
#pragma unroll
        for (int i = 0; i < OURS; i++) s += g[i];
        sums[2 * at] += s;
      } else load(index, g, wanted != 0);
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

// leave adds the sums of the threads of a block up.
__device__ __forceinline__ void leave(const double* sums, int count, double* to) {
  __shared__ double of_warps[8];
  int tid = threadIdx.x;
  for (int s = 0; s < count; s++) {
    double v = sums[s];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((tid & 31) == 0) of_warps[tid >> 5] = v;
    __syncthreads();
    if (tid == 0) {
      v = 0;
      for (int w = 0; w < 8; w++) v += of_warps[w];
      to[s] = v;
    }
  }
}

template <int OPS>
__device__ void slopes(const told& tree, double* const* moved, u64 n, u64 chunk, const double* inverse, const double* alpha, int targets, double* numbers) {
  extern __shared__ __align__(16) double room[];
  double(*sa)[APART] = (double(*)[APART])room, (*sb)[APART] = sa + 16, (*tile)[APART] = sb + 16;
  u64 row0 = (u64)blockIdx.x * 64, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, n);
  double tape[OPS][OURS], sums[2 * OPS];
  for (int s = 0; s < 2 * tree.ops; s++) sums[s] = 0;
  for (u64 j = j0; j < j1; j += 64) {
    double g[OURS];
    forward<OPS>(tape, tree, row0, j, n, n, sa, sb);
    weights(g, inverse, alpha, targets, row0, j, n, tile);
    backward<OPS>(tape, g, sums, tree, [&](int index, const double* by, bool last) { // both sides are the same points, and g is symmetric
      const origin<double>& o = tree.origins[index];
      if (moved[index]) points_back(by, o, side{moved[index] + (u64)blockIdx.y * n * o.d, j == j0 && last, 2.0}, side{}, row0, j, n, n, sa, sb, tile);
    });
  }
  leave(sums, 2 * tree.ops, numbers + ((u64)blockIdx.y * gridDim.x + blockIdx.x) * (2 * tree.ops));
}
#define SLOPES(OPS) \
  extern "C" __global__ void __launch_bounds__(256) slopes_##OPS(const origin<double>* o, double* const* moved, const double* code, const int* marks, int ops, const double* table, u64 n, u64 chunk, const double* inverse, const double* alpha, int targets, double* numbers) { \
    slopes<OPS>(told{o, code, marks, ops, table}, moved, n, chunk, inverse, alpha, targets, numbers); \
  }
SLOPES(8) SLOPES(64)

// pulls is the same for points on two sides and weights w, one for each pair. A block goes through all columns for some tiles of rows, and adds to a part of its own of the derivatives by the columns.
template <int OPS>
__device__ void pulls(const told& tree, double* const* rows, double* const* columns, u64 na, u64 nb, const double* w, const double* scale, const double* left, u64 apart, const double* right, int targets, double* numbers) {
  extern __shared__ __align__(16) double room[];
  double(*sa)[APART] = (double(*)[APART])room, (*sb)[APART] = sa + 16, (*tile)[APART] = sb + 16;
  double tape[OPS][OURS], sums[2 * OPS];
  for (int s = 0; s < 2 * tree.ops; s++) sums[s] = 0;
  for (u64 row0 = (u64)blockIdx.x * 64; row0 < na; row0 += (u64)gridDim.x * 64)
    for (u64 j = 0; j < nb; j += 64) {
      double g[OURS];
      forward<OPS>(tape, tree, row0, j, na, nb, sa, sb);
      rectangle_weights(g, w, scale, left, apart, right, targets, row0, j, na, nb);
      backward<OPS>(tape, g, sums, tree, [&](int index, const double* by, bool last) {
        const origin<double>& o = tree.origins[index];
        double* part = columns[index];
        if (rows[index] || part)
          points_back(by, o, side{rows[index], j == 0 && last, 1.0}, side{part ? part + (u64)blockIdx.x * nb * o.d : part, false, 1.0}, row0, j, na, nb, sa, sb, tile);
      });
    }
  leave(sums, 2 * tree.ops, numbers + (u64)blockIdx.x * (2 * tree.ops));
}
#define PULLS(OPS) \
  extern "C" __global__ void __launch_bounds__(256, 2) pulls_##OPS(const origin<double>* o, double* const* rows, double* const* columns, const double* code, const int* marks, int ops, const double* table, u64 na, u64 nb, const double* w, const double* scale, const double* left, u64 apart, const double* right, int targets, double* numbers) { \
    pulls<OPS>(told{o, code, marks, ops, table}, rows, columns, na, nb, w, scale, left, apart, right, targets, numbers); \
  }
PULLS(8) PULLS(64)

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
