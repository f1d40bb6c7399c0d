// valid_bits are the accumulators of 32 whose rows exist.
__device__ __forceinline__ u32 valid_bits(u64 row, u64 n) { return (row < n ? 0x33333333u : 0u) | (row + 8 < n ? 0xccccccccu : 0u); }
// process adds κ(q)·v of a piece of the accumulators of matrix instructions to the sums of two rows: q[4j…4j+3] are (row, 8j+2t), (row, 8j+2t+1) and the same
// of row + 8. Of eight exponentials POLYS are made by multipliers.
#ifndef POLYS
#define POLYS 1
#endif
#ifndef POLYS_ROOT // the same where a root is taken first: it was no faster with more
#define POLYS_ROOT 0
#endif
template <int KIND, int COLUMNS, int WIDE, int DEGREE>
__device__ __forceinline__ void add_piece(float* q, float (*acc)[2], const float* v, int stage, int t, const shape& s, u32 valid, const u16* a, u64 row, const u16* b, u64 col, int d, int kb) {
  u32 close[WIDE / 64 + 1] = {};
#pragma unroll
  for (int j = 0; j < WIDE / 8; j++) {
    float k[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int e = 4 * j + i;
      k[i] = kappa<KIND, DEGREE>(q[e], s, (e & 7) >= 8 - (KIND == GAUSS ? POLYS : POLYS_ROOT));
      if (KIND == LAPLACE) {
        bool is = -2.f * q[e] < NEAR;
        k[i] = is ? 0.f : k[i];
        close[e >> 5] |= is ? 1u << (e & 31) : 0u;
      }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      float2 w = *(const float2*)(v + c * stage + j * 8 + 2 * t);
      acc[c][0] = fmaf(k[0], w.x, acc[c][0]);
      acc[c][1] = fmaf(k[2], w.x, acc[c][1]);
      acc[c][0] = fmaf(k[1], w.y, acc[c][0]);
      acc[c][1] = fmaf(k[3], w.y, acc[c][1]);
    }
  }
  if (KIND == LAPLACE) { // close pairs are few: one by one
#pragma unroll
    for (int h = 0; h < WIDE / 64; h++)
      for (close[h] &= valid; close[h];) {
        int e = __ffs(close[h]) - 1 + 32 * h, c0 = (e >> 2) * 8 + 2 * t + (e & 1);
        close[h] &= close[h] - 1;
        bool padding = true; // a row of zeros, near all others of them
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) padding = padding && v[c * stage + c0] == 0.f;
        if (padding) continue;
        float k = exp2_unit(-sqrt_unit(-2.f * near(a, row + (e & 2) * 4, b, col + c0, d, kb)));
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
          float w = k * v[c * stage + c0];
          acc[c][0] += e & 2 ? 0.f : w;
          acc[c][1] += e & 2 ? w : 0.f;
        }
      }
  }
}
template <int KIND, int COLUMNS, int WIDE>
__device__ __forceinline__ void process(float* q, float (*acc)[2], const float* v, int stage, int t, const shape& s, u32 valid, const u16* a, u64 row, const u16* b, u64 col, int d, int kb) {
  if (KIND == POLY && s.n == 1) add_piece<KIND, COLUMNS, WIDE, 1>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else if (KIND == POLY && s.n == 2) add_piece<KIND, COLUMNS, WIDE, 2>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else if (KIND == POLY && s.n == 3) add_piece<KIND, COLUMNS, WIDE, 3>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else add_piece<KIND, COLUMNS, WIDE, 0>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
}
// settle moves sums in single precision to those in double: at most FLUSH stages are added in the former.
#define FLUSH 4
template <int COLUMNS>
__device__ __forceinline__ void settle(float (*acc)[2], double (*total)[2]) {
#pragma unroll
  for (int c = 0; c < COLUMNS; c++)
#pragma unroll
    for (int h = 0; h < 2; h++) { total[c][h] += (double)acc[c][h]; acc[c][h] = 0.f; }
}
