package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// everyLevel runs f once for each CPU level of this machine.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range Supported() {
		t.Run(l.String(), func(t *testing.T) {
			defer Force(l)()
			f(t)
		})
	}
}

func TestDot(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 257 {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			}
			if got, want := Dot64(x, y), dotRef(x, y); math.Abs(got-want) > 1e-12 {
				t.Fatalf("n=%d: %g, want %g", n, got, want)
			}
		}
	})
}
