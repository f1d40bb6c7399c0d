package simd

import (
	"math"
	"unsafe"
)

// fma is a·b + c rounded once; on WebAssembly almost so (vector_plain.go).
func fma[F Float](a, b, c F) F {
	if unsafe.Sizeof(a) == 8 {
		return F(fma64(float64(a), float64(b), float64(c)))
	}
	return F(fma32(float32(a), float32(b), float32(c)))
}

// fma32 is a·b + c rounded once to float32. The product is exact in float64;
// the sum is rounded there to odd (Boldo and Melquiond, IEEE Trans. Comput. 57,
// 2008), which makes the second rounding to float32 harmless.
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	v := s - p
	lost := (p - (s - v)) + (q - v)
	if lost == 0 || lost != lost || math.IsInf(s, 0) {
		return float32(s)
	}
	bits := math.Float64bits(s)
	if bits&1 == 0 {
		// s is even and inexact: the odd neighbour on the side of what was lost.
		if (lost > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

// toBits and fromBits are the encoding of x, in the low bits.
func toBits[F Float](x F) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

func fromBits[F Float](b uint64) F {
	var f F
	if unsafe.Sizeof(f) == 8 {
		return F(math.Float64frombits(b))
	}
	return F(math.Float32frombits(uint32(b)))
}

// copySign is |a| with the sign of x.
func copySign[F Float](a, x F) F { return F(math.Copysign(float64(a), float64(x))) }
