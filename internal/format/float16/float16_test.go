package float16

import (
	"math"
	"testing"
)

// Every pattern against the same value as single precision: sign, exponent and
// fraction moved to their places (exponents rebased from 15 to 127).
func TestEveryPattern(t *testing.T) {
	for h := range 1 << 16 {
		b := uint32(h)
		sign, exponent, fraction := b>>15<<31, b>>10&31, b&1023
		var want float64
		switch exponent {
		case 0: // fixed point in units of 2^-24
			want = float64(fraction) / (1 << 24)
			if sign != 0 {
				want = -want
			}
		case 31:
			want = float64(math.Float32frombits(sign | 0xff<<23 | fraction<<13))
		default:
			want = float64(math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13))
		}
		got := Float64(uint16(h))
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
	}
}
