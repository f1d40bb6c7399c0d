package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPoleSums(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for n := range 257 {
			d, z := guard[float64](r, n, 9), guard[float64](r, n, 9)
			// With both 0 an empty lane would divide nothing by nothing.
			for _, at := range [][2]float64{{0.5, 1e-3}, {0, 0}, {-2, 2}} {
				value, slope, size := 0.0, 0.0, 0.0
				for i := range n {
					q := z.x[i] / ((d.x[i] - at[0]) - at[1])
					value += z.x[i] * q
					slope += q * q
					size += math.Abs(z.x[i] * q)
				}
				gotValue, gotSlope := PoleSums(d.x, z.x, at[0], at[1])
				if !(math.Abs(gotValue-value) <= 1e-13*size) || !(math.Abs(gotSlope-slope) <= 1e-13*slope) {
					t.Fatalf("n = %d at %g: %g and %g, want %g and %g", n, at, gotValue, gotSlope, value, slope)
				}
			}
			d.intact(t)
			z.intact(t)
		}
	})
}

func TestMulRatios(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		for n := range 257 {
			d, x, y := guard[float64](r, n, 9), guard[float64](r, n, 9), guard[float64](r, n, 9)
			for _, pole := range []float64{0, 0.25} {
				want := slices.Clone(y.x)
				for i := range want {
					want[i] *= x.x[i] / (d.x[i] - pole)
				}
				MulRatios(pole, d.x, x.x, y.x)
				if !slices.Equal(y.x, want) {
					t.Fatalf("n = %d: %g, want %g", n, y.x, want)
				}
			}
			for _, g := range []guarded[float64]{d, x, y} {
				g.intact(t)
			}
		}
	})
}
