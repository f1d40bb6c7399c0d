package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGatherDot(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 257 {
			// NaN beside x and y: a read outside them spoils the sum.
			xs, ys, index := make([]float64, n+16), make([]float64, 116), make([]int32, n)
			for i := range xs {
				xs[i] = math.NaN()
			}
			for i := range ys {
				ys[i] = math.NaN()
			}
			x, y := xs[8:8+n], ys[8:108]
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			want, size := 0.0, 0.0
			for i := range x {
				x[i], index[i] = rng.NormFloat64(), int32(rng.IntN(len(y)))
				want += x[i] * y[index[i]]
				size += math.Abs(x[i] * y[index[i]])
			}
			if got := GatherDot64(x, index, y); !(math.Abs(got-want) <= 1e-14*size) {
				t.Fatalf("n = %d: %g, want %g", n, got, want)
			}
		}
	})
}
