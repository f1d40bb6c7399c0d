// Sums over profiles of a distance or an inner product in double precision by the matrix instructions for doubles: out[s, c, i] = Σ_j κ(a_i, b_j)·v[c, j] over the columns j
// of part s. Points are rows of d scaled numbers, after all of them -½‖x‖² of each (norms, below); q = ⟨x, c⟩ - ½‖x‖² - ½‖c‖² where the profile is one of a distance.
//
// A block of four warps has 128 rows, of which each warp has 32, and goes through its columns 32 at a time, the next ones being copied meanwhile. Of points with more than 32
// coordinates 32 are in shared memory at a time. Rows there are 4 more than a multiple of 8 numbers apart: no bank is read twice at once.
#define ROWS64 128
#define STAGE64 32
#define DEEP64 32

extern "C" __global__ void norms(double* x, u64 n, int d) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = 0;
  for (int k = 0; k < d; k++) s = fma(x[i * d + k], x[i * d + k], s);
  x[n * d + i] = -0.5 * s;
}

// exp2_double is 2^x to 53 bits but the last, 0 below 2^-1000: the polynomial is off by 2e-17 on [-½, ½].
__device__ __forceinline__ double exp2_double(double x) {
  double z = x + 6755399441055744.0, f = x - (z - 6755399441055744.0);
  double p = 4.4558179083360645e-10;
  p = fma(p, f, 7.074194297288521e-09);
  p = fma(p, f, 1.0178057087733941e-07);
  p = fma(p, f, 1.3215432535912375e-06);
  p = fma(p, f, 1.5252733841556773e-05);
  p = fma(p, f, 0.00015403530463724353);
  p = fma(p, f, 0.001333355814640647);
  p = fma(p, f, 0.009618129107587256);
  p = fma(p, f, 0.055504108664821625);
  p = fma(p, f, 0.24022650695910158);
  p = fma(p, f, 0.6931471805599453);
  p = fma(p, f, 1.0);
  int high = __double2hiint(p) + (__double2loint(z) << 20);
  bool tiny = (u32)__double2hiint(x) > 0xc08f4000u; // x < -1000
  return __hiloint2double(tiny ? 0 : high, tiny ? 0 : __double2loint(p));
}

struct shape64 { double a, b; int n; };

template <int KIND>
__device__ __forceinline__ double kappa64(double q, const shape64& s) {
  if (KIND == GAUSS) return exp2_double(q);
  if (KIND == RATIONAL) return exp(s.a * log1p(fmax(-q, 0.0)));
  if (KIND == POLY) {
    double z = fma(s.a, q, s.b), p = z;
    for (int i = 1; i < s.n; i++) p *= z;
    return p;
  }
  double r2 = fmax(-2.0 * q, 0.0), r = sqrt(r2), e = exp2_double(-r);
  if (KIND == MATERN32) return fma(r, 0.69314718055994530942, 1.0) * e;
  return fma(r2, 0.16015100463940048, fma(r, 0.69314718055994530942, 1.0)) * e; // ln²2/3
}

// multiply4 and multiply8 add the product of 16 rows and 8 columns over 4 and 8 coordinates. Four coordinates of the left side are two numbers of a thread, rows g and g + 8,
// of the right side one.
__device__ __forceinline__ void multiply4(double* c, const double* a, const double* b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
    : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b[0]));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[2]), "+d"(c[3]) : "d"(a[1]), "d"(b[0]));
#endif
}
__device__ __forceinline__ void multiply8(double* c, const double* a, const double* b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  multiply4(c, a, b);
  multiply4(c, a + 2, b + 1);
#endif
}
// copy8 copies a number beside the work at hand, or puts 0.
__device__ __forceinline__ void copy8(u32 to, const double* from, bool is) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(is ? 8 : 0));
}

// COLUMNS 0 stands for the matrix itself, out[i·ldv + j] = factor·κ + (i = j ? ridge : 0) for j ≤ i and somewhat beyond, in double precision or rounded to single: points on both sides are
// the same.
template <int KIND, int COLUMNS, class OUT>
__device__ __forceinline__ void product64(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, OUT* out, int d, int norms, shape64 s, double factor, double ridge) {
  extern __shared__ __align__(128) u8 memory[];
  int deep = min(DEEP64, (d + 3) / 4 * 4), ld = deep % 8 == 4 ? deep : deep + 4, pieces = (d + deep - 1) / deep;
  double *sa = (double*)memory, *sb = sa + ROWS64 * ld, *sv = sb + 2 * STAGE64 * ld, *sh = sv + 2 * COLUMNS * STAGE64;
  u32 ua = shared_address(sa), ub = shared_address(sb), uv = shared_address(sv), uh = shared_address(sh);
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, g = lane >> 2, t = lane & 3;
  u64 row0 = (u64)blockIdx.x * ROWS64, j0 = (u64)blockIdx.y * chunk, j1 = min(j0 + chunk, nb);
  if (COLUMNS == 0) j1 = min(j1, row0 + ROWS64);
  int stages = j1 > j0 ? (int)((j1 - j0 + STAGE64 - 1) / STAGE64) : 0;
  double ha[2][2], total[2][2][COLUMNS + 1];
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      ha[m][h] = norms ? A[na * d + min(row0 + warp * 32 + m * 16 + h * 8 + g, na - 1)] : 0.0;
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) total[m][h][c] = 0.0;
    }
#define LEFT64(piece) { int k = (piece) * deep + lane; \
    if (lane < deep) for (int r = warp; r < ROWS64; r += 4) copy8(ua + (r * ld + lane) * 8, A + min(row0 + r, na - 1) * d + min(k, d - 1), k < d); }
#define FETCH64(step) { int i = (step) / pieces, piece = (step) % pieces, k = piece * deep + lane; u64 j = j0 + (u64)i * STAGE64; \
    if (lane < deep) for (int r = warp; r < STAGE64; r += 4) copy8(ub + ((((step) & 1) * STAGE64 + r) * ld + lane) * 8, B + min(j + r, nb - 1) * d + min(k, d - 1), k < d); \
    if (piece == 0) { u64 at = min(j + lane, nb - 1); \
      if (warp < COLUMNS) copy8(uv + (((i & 1) * COLUMNS + warp) * STAGE64 + lane) * 8, v + warp * ldv + at, j + lane < j1); \
      if (warp == 3) copy8(uh + ((i & 1) * STAGE64 + lane) * 8, norms ? B + nb * d + at : B, norms != 0); } }
  if (stages > 0) {
    LEFT64(0)
    FETCH64(0)
  }
  copies_end();
  double q[2][4][4];
  for (int step = 0; step < stages * pieces; step++) {
    int i = step / pieces, piece = step % pieces;
    if (pieces > 1 && step > 0) LEFT64(piece) // all have done with the piece before
    if (step + 1 < stages * pieces) {
      if (pieces > 1) { copies_end(); }
      FETCH64(step + 1)
    }
    copies_end();
    if (step + 1 < stages * pieces) copies_wait<1>();
    else copies_wait<0>();
    __syncthreads();
    const double* columns = sb + (step & 1) * STAGE64 * ld;
    if (piece == 0) {
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
          double h = sh[(i & 1) * STAGE64 + j * 8 + 2 * t + (e & 1)];
          q[0][j][e] = ha[0][e >> 1] + h;
          q[1][j][e] = ha[1][e >> 1] + h;
        }
    }
    const double *left = sa + (warp * 32 + g) * ld + t, *right = columns + g * ld + t;
    int k = 0;
    for (; k + 8 <= deep; k += 8) {
      double a[2][4], b[4][2];
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int e = 0; e < 4; e++) a[m][e] = left[(m * 16 + (e & 1) * 8) * ld + k + (e >> 1) * 4];
#pragma unroll
      for (int j = 0; j < 4; j++) b[j][0] = right[j * 8 * ld + k], b[j][1] = right[j * 8 * ld + k + 4];
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply8(q[m][j], a[m], b[j]);
    }
    if (k < deep) {
      double a[2][2], b[4];
#pragma unroll
      for (int m = 0; m < 2; m++) a[m][0] = left[m * 16 * ld + k], a[m][1] = left[(m * 16 + 8) * ld + k];
#pragma unroll
      for (int j = 0; j < 4; j++) b[j] = right[j * 8 * ld + k];
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply4(q[m][j], a[m], b + j);
    }
    if (piece == pieces - 1) {
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int e = 0; e < 4; e++)
#pragma unroll
          for (int m = 0; m < 2; m++) {
            if (COLUMNS == 0) {
              u64 r = row0 + warp * 32 + m * 16 + (e >> 1) * 8 + g, col = j0 + (u64)i * STAGE64 + j * 8 + 2 * t + (e & 1);
              bool same = r == col;
              double value = factor * kappa64<KIND>(same && norms ? 0.0 : q[m][j][e], s) + (same ? ridge : 0.0);
              if (r < na && col < nb) out[r * ldv + col] = (OUT)value;
              continue;
            }
            double value = kappa64<KIND>(q[m][j][e], s);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) total[m][e >> 1][c] = fma(value, sv[((i & 1) * COLUMNS + c) * STAGE64 + j * 8 + 2 * t + (e & 1)], total[m][e >> 1][c]);
          }
    }
    __syncthreads();
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
        u64 row = row0 + warp * 32 + m * 16 + h * 8 + g;
        if (t == 0 && row < na) out[((u64)blockIdx.y * COLUMNS + c) * na + row] = x;
      }
}
#define DOUBLE(KIND, COLUMNS) \
  extern "C" __global__ void __launch_bounds__(128) double_##KIND##_##COLUMNS(const double* A, u64 na, const double* B, u64 nb, u64 chunk, const double* v, u64 ldv, double* out, int d, int norms, double a, double b, int n) { \
    product64<KIND, COLUMNS, double>(A, na, B, nb, chunk, v, ldv, out, d, norms, shape64{a, b, n}, 1.0, 0.0); \
  }
#define MATRIX(NAME, KIND, OUT) \
  extern "C" __global__ void __launch_bounds__(128) NAME##_##KIND(const double* A, u64 n, u64 chunk, OUT* out, u64 ld, int d, int norms, double a, double b, int power, double factor, double ridge) { \
    product64<KIND, 0, OUT>(A, n, A, n, chunk, A, ld, out, d, norms, shape64{a, b, power}, factor, ridge); \
  }
#define DOUBLES(KIND) DOUBLE(KIND, 1) DOUBLE(KIND, 2) MATRIX(matrix, KIND, double) MATRIX(rounded, KIND, float)
DOUBLES(0) DOUBLES(2) DOUBLES(3) DOUBLES(4) DOUBLES(5)
