package linalg

import (
	"math/rand/v2"
	"testing"
)

// checkFromProducts compares distances made from a tile of inner products with
// exact ones, whether or not it would pay to make them so.
func checkFromProducts[F Float](t *testing.T, x, y Matrix[float64], relative float64) {
	t.Helper()
	p := NewUncentredDistances[F](x, y)
	check := func(p *Pairs[F], products Matrix[F], row func(a int) int, col func(b int) int, i, j int) {
		t.Helper()
		dst := New[F](products.Rows, products.Cols)
		p.TileFromProducts(dst, products, i, j)
		for a := range dst.Rows {
			for b := range dst.Cols {
				got, want := dst.At(a, b), exactMetric(SquaredDistance, x.Row(row(a)), y.Row(col(b)))
				if got < 0 || want == 0 && got != 0 {
					t.Fatalf("(%d,%d): %v, want %v", a, b, got, want)
				}
				if want > 1e-37 {
					pairWithin(t, got, want, relative, 0, "(%d,%d)", a, b)
				}
			}
		}
	}
	products := New[F](x.Rows-1, y.Rows-2)
	NewPairs[F](InnerProduct, x, y).Tile(products, 1, 2, nil)
	check(p, products, func(a int) int { return a + 1 }, func(b int) int { return b + 2 }, 1, 2)

	rows, cols := []int{5, 4, 0}, []int{4, 5, 1, 2}
	products = New[F](len(rows), len(cols))
	NewPairs[F](InnerProduct, x, y).Gather(rows, cols).Tile(products, 0, 0, nil)
	check(p.Gather(rows, cols), products, func(a int) int { return rows[a] }, func(b int) int { return cols[b] }, 0, 0)
}

func TestDistancesFromProductsOfClosePoints(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 2, 40} {
			for _, offsets := range [][]float64{{0}, {1, -1}, {1e4}, {1e8}, {-1e8, 1e8, 3e5}} {
				x := closeClouds(uint64(d), d, offsets...)
				y := closeClouds(uint64(d), d, offsets[0])
				for _, y := range []Matrix[float64]{x, y} {
					checkFromProducts[float64](t, x, y, 1e-12)
					checkFromProducts[float32](t, x, y, 1e-4)
				}
			}
		}
	})
}

func TestWhenDistancesComeFromProducts(t *testing.T) {
	normal := func(n int, at func(i int) (centre, width float64)) Matrix[float64] {
		r := rand.New(rand.NewPCG(6, 7))
		m := New[float64](n, 10)
		for i := range n {
			centre, width := at(i)
			for j := range m.Row(i) {
				m.Row(i)[j] = centre + width*r.NormFloat64()
			}
		}
		return m
	}
	around := func(centre, width float64) Matrix[float64] {
		return normal(160, func(int) (float64, float64) { return centre, width })
	}
	twoFar := normal(160, func(i int) (float64, float64) { return 1e6 * float64(1-i%2*2), 1 })
	atMean := around(1, 1e-3) // and a few rows on opposite sides of it
	for i := 0; i < 160; i += 8 {
		for j := range atMean.Row(i) {
			v := 1e5 * (atMean.Row(i)[j] - 1)
			atMean.Row(i)[j], atMean.Row(i + 1)[j] = 1+v, 1-v
		}
	}
	for _, c := range []struct {
		name string
		x, y Matrix[float64]
		want bool
	}{
		{"around 0", around(0, 1), around(0, 1), true},
		{"as far as wide", around(1, 1), around(1, 1), true},
		{"ten widths away", around(10, 1), around(10, 1), false},
		{"far away", around(1e8, 1), around(1e8, 1), false},
		{"opposite clusters", twoFar, twoFar, true},
		{"one side at the mean, the other wide", around(1, 30), around(1, 1e-3), true},
		{"most rows at the mean", atMean, atMean, false},
		{"huge", around(0, 1e20), around(0, 1e20), false},
		{"tiny", around(0, 1e-20), around(0, 1e-20), false},
		{"zeros", New[float64](3, 2), New[float64](3, 2), true},
		{"empty", New[float64](0, 2), New[float64](3, 2), true},
	} {
		if got := DistancesFromProducts(c.x, c.y); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := DistancesFromProducts(c.y, c.x); got != c.want {
			t.Errorf("%s, sides changed: %v", c.name, got)
		}
	}
}
