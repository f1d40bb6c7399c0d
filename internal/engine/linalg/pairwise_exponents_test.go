package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// As exponents, squared distances of near pairs are within 4e-6 in single precision, none is negative, and where points lie so far out
// that rounding would be more, close pairs are computed again as before.
func TestExponentsOfClosePairs(t *testing.T) {
	for _, out := range []float64{1, 3, 100} {
		const n, d, scale = 200, 3, 0.5
		rng := rand.New(rand.NewPCG(3, 0))
		x := New[float64](n, d)
		for i := range n {
			for j := range d {
				v := out * math.Copysign(1, float64(i%2)-0.5) // two clumps about the mean
				x.Set(i, j, v+0.01*rng.NormFloat64())
			}
		}
		p := NewPairs[float32](SquaredDistance, x, x)
		before := p.tau
		p.Exponents(scale)
		if few := scale*2*d*out*out < mostExponent-1; few != (p.tau == 0) || !few && p.tau != before {
			t.Errorf("clumps at %g: close pairs are below %g", out, p.tau)
		}
		k := New[float32](n, n)
		p.Tile(k, 0, 0, nil)
		for i := range n {
			for j := range n {
				want := 0.0
				for c := range d {
					want += (x.At(i, c) - x.At(j, c)) * (x.At(i, c) - x.At(j, c))
				}
				got := float64(k.At(i, j))
				if got < 0 || math.Abs(math.Exp(-scale*got)-math.Exp(-scale*want)) > 4e-6 {
					t.Fatalf("clumps at %g: squared distance of %d and %d is %g, want %g", out, i, j, got, want)
				}
			}
		}
	}
}
