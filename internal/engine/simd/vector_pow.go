package simd

import (
	"math"
	"math/bits"
)

// maxPowInt is the largest exponent done by repeated multiplication.
const maxPowInt = 64

// PowInt64 sets dst[i] = src[i]^p. For 1 ≤ p ≤ 64 by repeated multiplication, within p-1 ulp (each
// of the roundings counts at most one, most of them less); for other p it is Pow64, within 1.
func PowInt64(dst, src []float64, p int) {
	sameLength(len(dst), len(src))
	switch {
	case len(src) == 0:
	case p < 1 || p > maxPowInt:
		Pow64(dst, src, float64(p))
	default:
		powInt64(dst, src, p, bits.Len(uint(p))-2)
	}
}

// PowInt32 sets dst[i] = src[i]^p. For 1 ≤ p ≤ 64 by repeated multiplication, within p-1 ulp (each
// of the roundings counts at most one, most of them less); for other p it is Pow32, within 1.
func PowInt32(dst, src []float32, p int) {
	sameLength(len(dst), len(src))
	switch {
	case len(src) == 0:
	case p < 1 || p > maxPowInt:
		Pow32(dst, src, float64(p))
	default:
		powInt32(dst, src, p, bits.Len(uint(p))-2)
	}
}

// Pow64 sets dst[i] = src[i]^p, within 1 ulp, with the special cases of
// math.Pow: in particular NaN for a negative number to a power that is no integer.
func Pow64(dst, src []float64, p float64) {
	sameLength(len(dst), len(src))
	switch {
	case len(src) == 0:
	case p == 0 || math.IsNaN(p) || math.IsInf(p, 0):
		for i, x := range src {
			dst[i] = math.Pow(x, p)
		}
	default:
		c := powCaseOf(p)
		pow64(dst, src, &c)
	}
}

// Pow32 sets dst[i] = src[i]^p, within 0.51 ulp: computed in float64.
func Pow32(dst, src []float32, p float64) {
	sameLength(len(dst), len(src))
	var wide [256]float64
	for len(src) > 0 {
		n := min(len(src), len(wide))
		Widen(wide[:n], src[:n])
		Pow64(wide[:n], wide[:n], p)
		Narrow(dst[:n], wide[:n])
		dst, src = dst[n:], src[n:]
	}
}
