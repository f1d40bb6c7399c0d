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
