// valid_bits are the accumulators of 32 whose rows exist.
__device__ __forceinline__ u32 valid_bits(u64 row, u64 n) { return (row < n ? 0x33333333u : 0u) | (row + 8 < n ? 0xccccccccu : 0u); }
// slot is where entry i of v lies: the eight entries of 32 that a thread takes are next to one another, so that it reads four at a time.
__device__ __forceinline__ int slot(int i) { return (i & ~31) | (i >> 1 & 3) << 3 | (i >> 3 & 3) << 1 | (i & 1); }
// by_poly says which exponentials of 16 are made by multipliers: some, at even distances, so that they go beside those of the unit for exponentials.
__device__ constexpr bool by_poly(int e, int some) { return ((e & 15) + 1) * some / 16 != (e & 15) * some / 16; }
// process adds κ(q)·v of a piece of the accumulators of matrix instructions to the sums of two rows: q[4j…4j+3] are (row, 8j+2t), (row, 8j+2t+1) and the same
// of row + 8. POLYS exponentials of 16 are made by multipliers.
template <int KIND, int COLUMNS, int WIDE, int POLYS, int DEGREE>
__device__ __forceinline__ void add_piece(float* q, float (*acc)[2], const float* v, int stage, int t, const shape& s, u32 valid, const u16* a, u64 row, const u16* b, u64 col, int d, int kb) {
  u32 close[WIDE / 64 + 1] = {};
#pragma unroll
  for (int j = 0; j < WIDE / 8; j++) {
    float k[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int e = 4 * j + i;
      k[i] = kappa<KIND, DEGREE>(q[e], s, by_poly(e, POLYS));
      if (KIND == LAPLACE) {
        bool is = -2.f * q[e] < NEAR;
        k[i] = is ? 0.f : k[i];
        close[e >> 5] |= is ? 1u << (e & 31) : 0u;
      }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      float4 both = *(const float4*)(v + c * stage + (j >> 2) * 32 + t * 8 + (j & 2) * 2); // of j and the one beside it
      float2 w = j & 1 ? make_float2(both.z, both.w) : make_float2(both.x, both.y);
      acc[c][0] = fmaf(k[0], w.x, acc[c][0]);
      acc[c][1] = fmaf(k[2], w.x, acc[c][1]);
      acc[c][0] = fmaf(k[1], w.y, acc[c][0]);
      acc[c][1] = fmaf(k[3], w.y, acc[c][1]);
    }
  }
  if (KIND == LAPLACE) { // close pairs are few: one by one
#pragma unroll
    for (int h = 0; h < (WIDE + 63) / 64; h++)
      for (close[h] &= valid; close[h];) {
        int e = __ffs(close[h]) - 1 + 32 * h, c0 = (e >> 2) * 8 + 2 * t + (e & 1);
        close[h] &= close[h] - 1;
        bool padding = true; // a row of zeros, near all others of them
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) padding = padding && v[c * stage + slot(c0)] == 0.f;
        if (padding) continue;
        float k = exp2_unit(-sqrt_unit(-2.f * near(a, row + (e & 2) * 4, b, col + c0, d, kb)));
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
          float w = k * v[c * stage + slot(c0)];
          acc[c][0] += e & 2 ? 0.f : w;
          acc[c][1] += e & 2 ? w : 0.f;
        }
      }
  }
}
template <int KIND, int COLUMNS, int WIDE, int POLYS>
__device__ __forceinline__ void process(float* q, float (*acc)[2], const float* v, int stage, int t, const shape& s, u32 valid, const u16* a, u64 row, const u16* b, u64 col, int d, int kb) {
  if (KIND == POLY && s.n == 1) add_piece<KIND, COLUMNS, WIDE, POLYS, 1>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else if (KIND == POLY && s.n == 2) add_piece<KIND, COLUMNS, WIDE, POLYS, 2>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else if (KIND == POLY && s.n == 3) add_piece<KIND, COLUMNS, WIDE, POLYS, 3>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
  else add_piece<KIND, COLUMNS, WIDE, POLYS, 0>(q, acc, v, stage, t, s, valid, a, row, b, col, d, kb);
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
