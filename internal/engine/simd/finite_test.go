package simd

import (
	"math"
	"testing"
)

// One number that is not finite is found wherever it stands, among the largest and the smallest.
func TestFinite(t *testing.T) {
	for n := range 40 {
		v := make([]float64, n)
		for i := range v {
			v[i] = []float64{math.MaxFloat64, -math.MaxFloat64, 0, math.SmallestNonzeroFloat64}[i%4]
		}
		if !Finite(v) {
			t.Fatalf("%d finite numbers are not", n)
		}
		for i := range v {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				was := v[i]
				v[i] = bad
				if Finite(v) {
					t.Errorf("%g at %d of %d is not found", bad, i, n)
				}
				v[i] = was
			}
		}
	}
}
