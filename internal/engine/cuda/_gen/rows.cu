// pack splits n rows of d numbers (of npad, the rest being 0) into the layout of common.cu; norms says whether the row carries -½‖x‖². A thread makes
// eight numbers of a row.
extern "C" __global__ void pack(const float* x, u64 n, u64 npad, int d, int kb, int norms, u16* out) {
  u64 id = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= npad * (u64)(2 * kb)) return;
  u64 tile = id / (u64)(16 * kb), rest = id % (u64)(16 * kb), row = tile * 8 + (rest & 7);
  int chunk = (int)(rest >> 3);
  const float* r = x + row * d;
  u16 v[8];
  for (int e = 0; e < 8; e++) {
    int k = chunk * 8 + e;
    float y = 0.f;
    if (row < n && k < 3 * d) {
      int c = k < d ? k : k < 2 * d ? k - d : k - 2 * d;
      y = r[c];
      if (k >= d && k < 2 * d) y -= of_half(halves(y, 0.f));
    } else if (row < n && norms && k < 3 * d + 4) {
      double h = 0;
      for (int c = 0; c < d; c++) {
        float hi = of_half(halves(r[c], 0.f)), lo = of_half(halves(r[c] - hi, 0.f));
        h += (double)hi * ((double)hi + 2.0 * (double)lo);
      }
      float all = (float)(-0.5 * h);
      y = 1.f;
      if (k == 3 * d + 2) y = all;
      if (k == 3 * d + 3) y = (float)(-0.5 * h - (double)of_half(halves(all, 0.f)));
    }
    v[e] = (u16)halves(y, 0.f);
  }
  u64* to = (u64*)(out + tile * (u64)(kb * 128) + chunk * 64 + (row & 7) * 8);
  to[0] = (u64)v[0] | (u64)v[1] << 16 | (u64)v[2] << 32 | (u64)v[3] << 48;
  to[1] = (u64)v[4] | (u64)v[5] << 16 | (u64)v[6] << 32 | (u64)v[7] << 48;
}

// gather adds partial sums in order: dst[i] = (add ? dst[i] : 0) + scale·Σ_s part[s·size + i].
extern "C" __global__ void gather(const double* part, int parts, u64 size, double scale, int add, double* dst) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double s = 0;
  for (int p = 0; p < parts; p++) s += part[(u64)p * size + i];
  dst[i] = (add ? dst[i] : 0.0) + scale * s;
}

// normals sets x to independent normal numbers that depend on their place and the seed alone.
__device__ __forceinline__ u32 mixed(u64 x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; x ^= x >> 33;
  return (u32)x;
}
extern "C" __global__ void normals(float* x, u64 n, u64 first, u64 seed) {
  u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    u64 at = 2 * (first + i) + seed * 0x9E3779B97F4A7C15ULL;
    float u = ((float)(mixed(at) >> 8) + 1.f) * 5.9604645e-8f, w = (float)(mixed(at + 1) >> 8) * 5.9604645e-8f;
    x[i] = sqrtf(-2.f * logf(u)) * cospif(2.f * w);
  }
}
