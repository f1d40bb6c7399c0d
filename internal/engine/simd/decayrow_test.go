package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The run against one that takes a column at a time.
func TestDecayRowEqualsTheLoop(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 7))
		for n := range 130 {
			for _, share := range []float64{0, 0.05, 0.4, 1} {
				w := guard[float64](r, 4*n+12, 1)
				var places []int32
				for j := range n {
					if r.Float64() < share {
						places = append(places, int32(j))
					}
				}
				const lambda, first = 0.7, 2.5
				want, sum, v := append([]float64(nil), w.x...), [4]float64{1, 2, 3, 4}, [4]float64{}
				wantSum, next := sum, 0
				for j := range n {
					old := [4]float64(want[4*j:])
					if next < len(places) && int(places[next]) == j {
						next++
						for q := range 4 {
							wantSum[q] += v[q]
							below := first
							if q > 0 {
								below = lambda * v[q-1]
							}
							want[4*j+q] += below
						}
					}
					for q := range 4 {
						v[q] = lambda*v[q] + old[q]
					}
				}
				NewDecayRows(lambda).Row(places, w.x, first, &sum)
				for i, x := range w.x {
					if math.Abs(x-want[i]) > 1e-13*(1+math.Abs(want[i])) {
						t.Fatalf("n=%d, share %g: element %d is %g, want %g", n, share, i, x, want[i])
					}
				}
				for q := range sum {
					if math.Abs(sum[q]-wantSum[q]) > 1e-12*(1+math.Abs(wantSum[q])) {
						t.Fatalf("n=%d, share %g: sum %d is %g, want %g", n, share, q, sum[q], wantSum[q])
					}
				}
				w.intact(t)
			}
		}
	})
}
