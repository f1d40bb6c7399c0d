package simd

import "math"

// Norm64 is the Euclidean norm √Σx[i]². It neither overflows nor loses small
// elements: where the plain sum of squares leaves the safe range, the vector is
// scaled by a power of two first.
//
// A square that underflows is off by at most 2⁻¹⁰⁷⁵, so a sum of at least
// 2⁻⁹⁶⁰ is right to rounding for any length that fits in memory.
func Norm64(x []float64) float64 {
	s := Dot64(x, x)
	if s >= 0x1p-960 && s <= math.MaxFloat64 {
		return math.Sqrt(s)
	}
	largest := 0.0
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	_, e := math.Frexp(largest)
	s = 0
	for _, v := range x {
		v = math.Ldexp(v, -e) // in [-1, 1], and exact unless negligible
		s += v * v
	}
	return math.Ldexp(math.Sqrt(s), e)
}

// Norm32 is the Euclidean norm √Σx[i]², safe like Norm64: float64 holds every
// square of a float32.
func Norm32(x []float32) float32 {
	s := Dot32(x, x)
	if s >= 0x1p-80 && s <= math.MaxFloat32 {
		return float32(math.Sqrt(float64(s)))
	}
	t := 0.0
	for _, v := range x {
		t += float64(v) * float64(v)
	}
	return float32(math.Sqrt(t))
}
