package simd

import (
	"math/rand/v2"
	"testing"
)

func TestSquaredDifferenceEqualsTheLoop(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 257 {
			src, dst := guard[float64](r, n, 1), guard[float64](r, n, 3)
			SquaredDifference64(dst.x, src.x, 0.75)
			for i, v := range src.x {
				if d := v - 0.75; dst.x[i] != d*d {
					t.Fatalf("n=%d: element %d is %g, want %g", n, i, dst.x[i], d*d)
				}
			}
			src.intact(t)
			dst.intact(t)
		}
	})
}
