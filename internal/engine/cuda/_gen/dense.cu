// Small work on n×n matrices of rows of n numbers, around the calls of NVIDIA's libraries.

// lower sets out[i, j] = root[i]·a[i, j] for j ≤ i, else 0: a factor without what stands above it, its rows scaled.
extern "C" __global__ void lower(const double* a, u64 n, const double* root, double* out) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x;
  for (; id < n * n; id += step) {
    u64 i = id / n, j = id % n;
    out[id] = j <= i ? root[i] * a[id] : 0.0;
  }
}

// diagonal sets out[i] = a[i, i] and adds a number to it in a.
extern "C" __global__ void diagonal(double* a, u64 n, double add, double* out) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = a[i * n + i];
  a[i * n + i] += add;
}

// raise adds a vector to the diagonal.
extern "C" __global__ void raise(double* a, u64 n, const double* by) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + i] += by[i];
}

// triangle sets out to the lower triangle of a and 0 above it; both may be the same.
extern "C" __global__ void triangle(const double* a, u64 n, double* out) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x;
  for (; id < n * n; id += step) {
    u64 i = id / n, j = id % n;
    if (j > i) out[id] = 0.0;
    else if (a != out) out[id] = a[id];
  }
}

// invert replaces the blocks of 64 on the diagonal of a lower triangle by their inverses, 0 above the diagonal. Four threads make a column: row i of the inverse is what the rows before leave,
// x_i = (e_i - Σ_{k<i} l_ik·x_k)/l_ii.
extern "C" __global__ void __launch_bounds__(256) invert(double* a, u64 n) {
  extern __shared__ __align__(16) double both[];
  double(*l)[65] = (double(*)[65])both, (*x)[65] = l + 64;
  u64 first = (u64)blockIdx.x * 64;
  int size = (int)min((u64)64, n - first), tid = threadIdx.x, column = tid >> 2, lane = tid & 3;
  for (int q = tid; q < 64 * 64; q += 256) {
    int r = q >> 6, c = q & 63;
    l[r][c] = r < size && c <= r ? a[(first + r) * n + first + c] : r == c ? 1.0 : 0.0;
    x[r][c] = 0.0;
  }
  __syncthreads();
  for (int i = 0; i < 64; i++) {
    double s = 0;
    for (int k = column + lane; k < i; k += 4) s += l[i][k] * x[k][column];
    s += __shfl_xor_sync(0xffffffffu, s, 1);
    s += __shfl_xor_sync(0xffffffffu, s, 2);
    if (lane == 0 && i >= column) x[i][column] = ((i == column ? 1.0 : 0.0) - s) / l[i][i];
    __syncwarp();
  }
  __syncthreads();
  for (int q = tid; q < 64 * 64; q += 256) {
    int r = q >> 6, c = q & 63;
    if (r < size && c < size) a[(first + r) * n + first + c] = x[r][c];
  }
}

// mirror copies what is below the diagonal to above it (up), or the other way, a square of 32 at a time.
extern "C" __global__ void __launch_bounds__(256) mirror(double* a, u64 n, int up) {
  __shared__ double tile[32][33];
  u64 i0 = (u64)blockIdx.x * 32, j0 = (u64)blockIdx.y * 32;
  if (j0 > i0) return;
  u64 r0 = up ? i0 : j0, c0 = up ? j0 : i0; // where it comes from
  int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  for (int r = y; r < 32; r += 8)
    if (r0 + r < n && c0 + x < n) tile[r][x] = a[(r0 + r) * n + c0 + x];
  __syncthreads();
  for (int r = y; r < 32; r += 8) { // row r of the other side is column r of this one
    u64 i = c0 + r, j = r0 + x;
    bool above = j > i;
    if (i < n && j < n && i != j && above == (up != 0)) a[i * n + j] = tile[x][r];
  }
}

// identity sets the n×n matrix out to that.
extern "C" __global__ void identity(u64 n, float* out) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n * n) out[id] = id / n == id % n ? 1.f : 0.f;
}

// split writes rows of w numbers of single precision, ld apart, as numbers of half precision [hi | lo | hi] and [hi | hi | lo], x = hi + lo to 22 bits: a row of the one times a row of the
// other is hi·hi + lo·hi + hi·lo. A block makes a row.
extern "C" __global__ void __launch_bounds__(256) split(const float* a, u64 ld, int w, u16* left, u16* right) {
  const float* row = a + blockIdx.x * ld;
  left += (u64)blockIdx.x * (3 * w), right += (u64)blockIdx.x * (3 * w);
  for (int k = threadIdx.x; k < w; k += 256) {
    float x = row[k];
    u16 hi = (u16)halves(x, 0.f), lo = (u16)halves(x - of_half(hi), 0.f);
    left[k] = left[2 * w + k] = right[k] = right[w + k] = hi;
    left[w + k] = right[2 * w + k] = lo;
  }
}

// permuted sets part[r·count + b] = Σ_{j<i} 2·k[i, j]·l[r, p(j)] + k[i, i]·l[r, r] for row r of l and permutation p = perms[b], where i = inverse[b, r] is the row of k that
// stands beside it: over all r that is Σᵢⱼ k[i, j]·l[p(i), p(j)] of symmetric matrices. A block keeps one row of l, in shared memory where it is staged, for all of its permutations.
extern "C" __global__ void __launch_bounds__(256) permuted(const double* k, const double* l, u64 n, const int* perms, const int* inverse, int count, int each, int staged, double* part) {
  extern __shared__ __align__(16) double kept[];
  __shared__ double sums[8];
  u64 r = blockIdx.x;
  const double* row = l + r * n;
  int tid = threadIdx.x, last = min((int)(blockIdx.y + 1) * each, count);
  if (staged) {
    for (u64 j = tid; j < n; j += 256) kept[j] = row[j];
    row = kept;
  }
  __syncthreads();
  for (int b = blockIdx.y * each; b < last; b++) {
    u64 i = (u64)inverse[(u64)b * n + r];
    const double* left = k + i * n;
    const int* p = perms + (u64)b * n;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    u64 j = tid;
    for (; j + 768 < i; j += 1024) {
      s0 += left[j] * row[p[j]];
      s1 += left[j + 256] * row[p[j + 256]];
      s2 += left[j + 512] * row[p[j + 512]];
      s3 += left[j + 768] * row[p[j + 768]];
    }
    for (; j < i; j += 256) s0 += left[j] * row[p[j]];
    double s = (s0 + s1) + (s2 + s3);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if ((tid & 31) == 0) sums[tid >> 5] = s;
    __syncthreads();
    if (tid == 0) {
      double all = 0;
      for (int w = 0; w < 8; w++) all += sums[w];
      part[r * (u64)count + b] = 2 * all + left[i] * row[r];
    }
    __syncthreads();
  }
}

// scaled sets out[i, j] = by[i]·a[i, j], rows of so many numbers: a block makes a row after another.
extern "C" __global__ void __launch_bounds__(256) scaled(const double* a, u64 rows, u64 columns, const double* by, double* out) {
  for (u64 i = blockIdx.x; i < rows; i += gridDim.x) {
    double s = by[i];
    for (u64 j = threadIdx.x; j < columns; j += 256) out[i * columns + j] = s * a[i * columns + j];
  }
}

// squares sets out[i] = Σ_j a[i, j]²: a warp makes a row.
extern "C" __global__ void __launch_bounds__(256) squares(const double* a, u64 rows, u64 columns, double* out) {
  u64 i = (u64)blockIdx.x * 8 + (threadIdx.x >> 5);
  if (i >= rows) return;
  double s = 0;
  for (u64 j = threadIdx.x & 31; j < columns; j += 32) s += a[i * columns + j] * a[i * columns + j];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if ((threadIdx.x & 31) == 0) out[i] = s;
}
