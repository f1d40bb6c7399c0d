package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// gaussProduct is row i of K·v by the definition, and Σ|terms|.
func gaussProduct(x, y Matrix[float64], gamma float64, v []float64, i int) (sum, size float64) {
	for j, e := range v {
		k := math.Exp(-gamma*exactMetric(SquaredDistance, x.Row(i), y.Row(j))) * e
		sum, size = sum+k, size+math.Abs(k)
	}
	return sum, size
}

// gaussTolerance is what a value of K may be off by, relative: the tolerance of
// Pairs on the exponent, and rounding.
func gaussTolerance[F Float]() float64 {
	if isFloat64[F]() {
		return 1e-12 + 1e-14
	}
	return 1e-4 + 1e-5
}

func checkGaussSums[F Float](t *testing.T, what string, x, y Matrix[float64], gamma float64, v []float64, rows []int) {
	t.Helper()
	g := NewGaussSums[F](NewPairs[F](SquaredDistance, x, y), gamma)
	if g == nil {
		t.Fatalf("%s: not fused", what)
	}
	results := [][]float64{make([]float64, x.Rows)}
	g.MulTo(2, results[0], v)
	if g.Symmetric() {
		for _, groups := range []int{1, 3} {
			r := make([]float64, x.Rows)
			g.MulSym(2, groups, r, v)
			results = append(results, r)
		}
	}
	for _, i := range rows {
		want, size := gaussProduct(x, y, gamma, v, i)
		for k, got := range results {
			if d := math.Abs(got[i] - want); !(d <= gaussTolerance[F]()*size) {
				t.Fatalf("%s: way %d: row %d is %v, want %v: off by %g of the sum of magnitudes", what, k, i, got[i], want, d/size)
			}
		}
	}
}

func normals(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 9))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// someRows are the first, the last and some between.
func someRows(n int) []int {
	rows := []int{0, n - 1}
	for i := 1; i < n; i += max(1, n/7) {
		rows = append(rows, i)
	}
	return rows
}

func fusedLevels(t *testing.T, f func(t *testing.T)) {
	everyLevel(t, func(t *testing.T) {
		if !simd.ExpSumFast() {
			if NewGaussSums[float64](NewPairs[float64](SquaredDistance, gaussianPoints(1, 50, 2), gaussianPoints(2, 50, 2)),
				1) != nil {
				t.Fatal("fused without assembly")
			}
			return
		}
		f(t)
	})
}

func TestGaussSums(t *testing.T) {
	fusedLevels(t, func(t *testing.T) {
		sizes := []int{32, 33, 127, 128, 129, 300, 700}
		if testing.Short() {
			sizes = []int{33, 128, 129, 300}
		}
		for _, d := range []int{1, 2, 20} {
			for _, n := range sizes {
				for _, m := range []int{32, 128, 131, 530} {
					what := fmt.Sprintf("d=%d %d×%d", d, n, m)
					x, y := gaussianPoints(uint64(n), n, d), gaussianPoints(uint64(m), m, d)
					v := normals(3, m)
					checkGaussSums[float64](t, what, x, y, 0.5/float64(d), v, someRows(n)[:4])
					checkGaussSums[float32](t, what, x, y, 0.5/float64(d), v, someRows(n)[:4])
				}
				x, v := gaussianPoints(uint64(n), n, d), normals(4, n)
				checkGaussSums[float64](t, fmt.Sprintf("d=%d n=%d", d, n), x, x, 0.5/float64(d), v, someRows(n))
				checkGaussSums[float32](t, fmt.Sprintf("d=%d n=%d", d, n), x, x, 0.5/float64(d), v, someRows(n))
			}
		}
	})
}

// Near duplicates at an offset, outliers beyond the limit, and vectors at the
// ends of the range.
func TestGaussSumsOfHardPoints(t *testing.T) {
	fusedLevels(t, func(t *testing.T) {
		for _, offset := range []float64{0, 1e4, 1e8} {
			x := closeClouds(7, 5, offset, offset+1, offset, offset-1, offset, offset, offset, offset, offset+2)
			v := normals(5, x.Rows)
			checkGaussSums[float64](t, fmt.Sprint("offset ", offset), x, x, 0.1, v, someRows(x.Rows))
			if offset <= 1e4 {
				checkGaussSums[float32](t, fmt.Sprint("offset ", offset), x, x, 0.1, v, someRows(x.Rows))
			}
		}
		x := gaussianPoints(8, 2000, 3)
		for j := range 3 {
			x.Row(1900)[j] += 500
			x.Row(1901)[j] = x.Row(1900)[j] + 1e-3
		}
		y := gaussianPoints(9, 700, 3)
		v := normals(6, 2000)
		rows := []int{0, 5, 1900, 1901, 1999}
		checkGaussSums[float64](t, "outliers", x, x, 0.5, v, rows)
		checkGaussSums[float32](t, "outliers", x, x, 0.5, v, rows)
		checkGaussSums[float64](t, "outliers on one side", x, y, 0.5, v[:700], rows)
		for _, scale := range []float64{1e300, 1e-300, 0} {
			for i := range v {
				v[i] = scale * math.Sin(float64(i))
			}
			checkGaussSums[float64](t, fmt.Sprint("v of ", scale), y, y, 0.5, v[:700], someRows(700))
		}
	})
}

func TestGaussSumsSameBitsAtAnyThreadCount(t *testing.T) {
	x, v := gaussianPoints(10, 3000, 4), normals(7, 3000)
	x.Row(7)[0] = 300
	g := NewGaussSums[float32](NewPairs[float32](SquaredDistance, x, x), 0.3)
	if g == nil {
		t.Skip("no assembly at this level, so no fused product")
	}
	want, half := make([]float64, 3000), make([]float64, 3000)
	g.MulTo(1, want, v)
	g.MulSym(1, 5, half, v)
	for _, threads := range []int{2, 7} {
		got, sym := make([]float64, 3000), make([]float64, 3000)
		g.MulTo(threads, got, v)
		g.MulSym(threads, 5, sym, v)
		for i := range got {
			if got[i] != want[i] || sym[i] != half[i] {
				t.Fatalf("row %d differs at %d threads", i, threads)
			}
		}
	}
}

func TestGaussSumsAreLeftToTiles(t *testing.T) {
	x := gaussianPoints(11, 400, 6)
	for what, g := range map[string]*GaussSums[float64]{
		"narrow":     NewGaussSums[float64](NewPairs[float64](SquaredDistance, x, x), 1e4),
		"metric":     NewGaussSums[float64](NewPairs[float64](L1Distance, x, x), 1),
		"few points": NewGaussSums[float64](NewPairs[float64](SquaredDistance, x.Slice(0, 3, 0, 6), x), 1),
		"no width":   NewGaussSums[float64](NewPairs[float64](SquaredDistance, x, x), 0),
		"huge":       NewGaussSums[float64](NewPairs[float64](SquaredDistance, scaleRows(x, 1e300), x), 1),
	} {
		if g != nil {
			t.Errorf("%s: fused", what)
		}
	}
}
