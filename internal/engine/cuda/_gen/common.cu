// What all kernels share: integer names, half precision, the profiles κ and the layout of packed rows.
//
// A packed row of d columns is KB·16 numbers of half precision, KB = ⌈(3d+4)/16⌉: each x = hi + lo with hi and lo of 11 bits, stored as
//
//	[hi₁…hi_d | lo₁…lo_d | hi₁…hi_d | 1 1 h' h'' | 0 …],   h' + h'' = -½‖x‖²
//
// and read on the other side of the product as [hi | hi | lo | h' h'' 1 1 | 0 …], so that one chain of matrix instructions gives
// hi·hi + hi·lo + lo·hi and both norms: -½‖x-c‖². Rows lie in groups of eight, eight numbers of each after one another: the 8 × 16-byte
// blocks that matrix instructions take from shared memory, without a bank read twice.
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;

__device__ __forceinline__ u32 halves(float low, float high) {
  u32 r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
__device__ __forceinline__ float of_half(u32 h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((u16)h));
  return f;
}
__device__ __forceinline__ float exp2_unit(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float log2_unit(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float sqrt_unit(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// exp2_poly is 2^x for x ≤ 1 by a polynomial on [-½, ½] (relative error 2e-7): the units for exponentials are the narrowest part of the chip, and
// multipliers have time to spare.
__device__ __forceinline__ float exp2_poly(float x) {
  x = fmaxf(x, -125.f);
  float z = x + 12582912.f, f = x - (z - 12582912.f);
  float p = 1.3333558e-3f;
  p = fmaf(p, f, 9.6181291e-3f);
  p = fmaf(p, f, 5.5504109e-2f);
  p = fmaf(p, f, 2.4022651e-1f);
  p = fmaf(p, f, 6.9314718e-1f);
  p = fmaf(p, f, 1.f);
  return __int_as_float(__float_as_int(p) + (__float_as_int(z) << 23));
}

// The profiles of packed rows, of q = -½‖x-c‖² or ⟨x, c⟩ in scaled coordinates.
enum { GAUSS, LAPLACE, MATERN32, MATERN52, RATIONAL, POLY };

struct shape { float a, b; int n; };

__device__ __forceinline__ float exp2_of(float x, bool poly) { return poly ? exp2_poly(x) : exp2_unit(x); }

template <int KIND, int DEGREE>
__device__ __forceinline__ float kappa(float q, const shape& s, bool poly) {
  if (KIND == GAUSS) return exp2_of(q, poly); // coordinates times √(log₂e)/ℓ
  if (KIND == RATIONAL) return exp2_of(s.a * log2_unit(1.f + fmaxf(-q, 0.f)), poly);
  if (KIND == POLY) {
    float z = fmaf(s.a, q, s.b), p = z;
    if (DEGREE > 0) {
#pragma unroll
      for (int i = 1; i < DEGREE; i++) p *= z;
    } else
      for (int i = 1; i < s.n; i++) p *= z;
    return p;
  }
  // coordinates times √(2ν)·log₂e/ℓ: e^{-z} = 2^{-r}
  float r2 = KIND == LAPLACE ? -2.f * q : fmaxf(-2.f * q, 0.f), r = sqrt_unit(r2), e = exp2_of(-r, poly);
  if (KIND == LAPLACE) return e;
  if (KIND == MATERN32) return fmaf(r, 0.69314718f, 1.f) * e;
  return fmaf(r2, 0.16015100f, fmaf(r, 0.69314718f, 1.f)) * e; // ln²2/3
}

// where is the place of number k of a row of the left side among those stored.
__device__ __forceinline__ int where(int k, int d) {
  if (k < d) return k;
  if (k < 3 * d) return k - d;
  if (k < 3 * d + 2) return k + 2;
  if (k < 3 * d + 4) return k - 2;
  return k;
}
__device__ __forceinline__ u64 place(u64 row, int k, int kb) { // in halves
  return (row >> 3) * (u64)(kb * 128) + (k >> 3) * 64 + (row & 7) * 8 + (k & 7);
}
__device__ __forceinline__ u32 left_word(const u16* p, u64 row, int k, int d, int kb) {
  return (u32)p[place(row, where(k, d), kb)] | (u32)p[place(row, where(k + 1, d), kb)] << 16;
}
// near is -½‖x-c‖² of two packed rows by differences, for pairs so close that the sum of products has lost it.
__device__ __forceinline__ float near(const u16* a, u64 i, const u16* b, u64 j, int d, int kb) {
  float s = 0.f;
  for (int k = 0; k < d; k++) {
    float hi = of_half(a[place(i, k, kb)]) - of_half(b[place(j, k, kb)]), lo = of_half(a[place(i, d + k, kb)]) - of_half(b[place(j, d + k, kb)]);
    float e = hi + lo;
    s = fmaf(e, e, s);
  }
  return -0.5f * s;
}
#ifndef NEAR
#define NEAR 0.0078125f // r² below which Laplace, whose slope by r² at 0 is infinite, asks near
#endif

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(u32 to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ __forceinline__ void copies_end() { asm volatile("cp.async.commit_group;"); }
template <int LEFT>
__device__ __forceinline__ void copies_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }
