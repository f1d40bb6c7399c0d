package smooth

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNthSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(rng.IntN(1 + n/2)) // with ties
		}
		sorted := slices.Clone(v)
		slices.Sort(sorted)
		for k := range n {
			if got := nthSmallest(slices.Clone(v), k); got != sorted[k] {
				t.Fatalf("place %d of %v: %g", k, sorted, got)
			}
			if got := nthSmallest(slices.Clone(sorted), k); got != sorted[k] {
				t.Fatalf("place %d of %v in order: %g", k, sorted, got)
			}
		}
	}
}
