package linalg

import (
	"math"
	"slices"
	"testing"
)

// A symmetric matrix times one vector is what the double loop says, from either triangle (the other
// is not read), to the same bits at any number of threads.
func TestSymmOfAVector(t *testing.T) {
	for _, n := range []int{1, 2, 7, 60, symmVectorFrom - 1, symmVectorFrom, 700} {
		full, b, c := randomSym(n, 3), fillNormal(New[float64](n, 1), 4), fillNormal(New[float64](n, 1), 5)
		for _, u := range []Triangle{Lower, Upper} {
			half := full.Clone()
			for i := range n {
				for j := range n {
					if u == Lower && j > i || u == Upper && j < i {
						half.Set(i, j, math.NaN())
					}
				}
			}
			var first []float64
			for _, threads := range []int{1, 2, 8} {
				got := c.Clone()
				Symm(threads, Left, u, 2, half, b, -0.5, got)
				for i := range n {
					want := -0.5 * c.At(i, 0)
					for j := range n {
						want += 2 * full.At(i, j) * b.At(j, 0)
					}
					if d := math.Abs(got.At(i, 0) - want); !(d <= 1e-12*float64(n)) {
						t.Fatalf("n = %d, triangle %v: entry %d is %g, want %g", n, u, i, got.At(i, 0), want)
					}
				}
				if first == nil {
					first = got.Data
				} else if !slices.Equal(first, got.Data) {
					t.Fatalf("n = %d, triangle %v: other bits with %d threads", n, u, threads)
				}
				fresh := New[float64](n, 1)
				for i := range fresh.Data {
					fresh.Data[i] = math.NaN()
				}
				Symm(threads, Left, u, 1, half, b, 0, fresh)
				if slices.ContainsFunc(fresh.Data, math.IsNaN) {
					t.Fatalf("n = %d, triangle %v: with beta = 0 the result was read", n, u)
				}
			}
		}
	}
}
