package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Tiles from packed columns are those of the double loop, and the same bits wherever they are
// placed and whichever rows stand beside.
func TestPackedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range []int{1, 2, 7, 64, 300} {
		for _, n := range []int{1, 5, 47, 48, 49, 200} {
			x := New[float64](n, d)
			for i := range x.Data {
				x.Data[i] = rng.NormFloat64()
			}
			for _, metric := range []PairMetric{InnerProduct, SquaredDistance} {
				p := NewPairs[float32](metric, x, x)
				p.PackColumns()
				if p.packed == nil {
					t.Fatal("no columns packed")
				}
				whole := New[float32](n, n)
				for i := range n { // a row at a time
					p.Tile(whole.Slice(i, i+1, 0, n), i, 0, nil)
				}
				for i := range n {
					for j := range n {
						want := 0.0
						for c := range d {
							if u, v := x.At(i, c), x.At(j, c); metric == InnerProduct {
								want += u * v
							} else {
								want += (u - v) * (u - v)
							}
						}
						if got := float64(whole.At(i, j)); math.Abs(got-want) > 1e-4*(1+float64(d)) {
							t.Fatalf("%v %d×%d: (%d, %d) is %g, want %g", metric, n, d, i, j, got, want)
						}
					}
				}
				rows := []int{n - 1, 0, n / 2, 0, n / 3}
				for _, lo := range []int{0, n / 3} {
					tile := New[float32](len(rows), n-lo)
					p.Gather(rows, nil).Tile(tile, 0, lo, nil)
					for a, i := range rows {
						for j := lo; j < n; j++ {
							if tile.At(a, j-lo) != whole.At(i, j) {
								t.Fatalf("%v %d×%d: (%d, %d) depends on its place: %g and %g", metric, n, d, i, j, tile.At(a, j-lo),
									whole.At(i, j))
							}
						}
					}
				}
			}
		}
	}
}
