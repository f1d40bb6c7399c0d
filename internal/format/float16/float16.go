// Package float16 reads IEEE 754 half-precision numbers, which NPY, Arrow and
// Parquet files hold.
package float16

import "math"

// Float64 is the number that the pattern h stands for: sign, 5 bits of exponent,
// 10 of fraction.
func Float64(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	x := 0.0
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 31:
		if x = math.Inf(1); fraction != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 == 1 {
		x = -x
	}
	return x
}
