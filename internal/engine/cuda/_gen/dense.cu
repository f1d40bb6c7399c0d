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
