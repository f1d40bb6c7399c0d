package density

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// TestRowsStandAlone: the density at a point has the same bits whatever points it is asked for
// with, by every method.
func TestRowsStandAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n, d int) data.Slice[[]float64] {
		rows := make(data.Slice[[]float64], n)
		for i := range rows {
			for range d {
				rows[i] = append(rows[i], rng.NormFloat64())
			}
		}
		return rows
	}
	sizes := []int{1, 2, 3, 7, 64}
	if testing.Short() {
		sizes = []int{1, 3, 64}
	}
	for _, d := range []int{1, 2, 5} {
		x, q := draw(datatest.Size(600, 300), d), draw(200, d)
		q[199][0] = 50 // far from all others
		var models []logDensity
		var names []string
		keep := func(name string, m logDensity, err error) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			models, names = append(models, m), append(names, fmt.Sprint(name, " in ", d, " columns"))
		}
		for _, method := range []Method{Auto, Brute, Tree, FastGauss, Binned} {
			if method == FastGauss && d > 3 || method == Binned && d > 1 {
				continue
			}
			m, err := KDE{Method: method, RelTol: 1e-6}.Fit(t.Context(), x)
			keep(fmt.Sprint("kde by method ", method), m, err)
		}
		m, err := KDE{Adaptive: 0.5}.Fit(t.Context(), x)
		keep("adaptive kde", m, err)
		mix, err := Mixture{Components: 3}.Fit(t.Context(), x)
		keep("mixture", mix, err)
		knn, err := KNN{K: 9}.Fit(t.Context(), x)
		keep("knn", knn, err)
		for i, m := range models {
			whole, err := m.LogDensity(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range sizes {
				for start := 0; start+size <= len(q); start += max(size, 41) {
					part, err := m.LogDensity(t.Context(), q[start:start+size])
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(part, whole[start:start+size]) {
						t.Errorf("%s: %d rows from %d alone are %v, among all %v", names[i], size, start, part[:1], whole[start])
						size, start = 1000, 1000
					}
				}
			}
		}
	}
}

// logDensity is what all estimates have.
type logDensity interface {
	LogDensity(ctx context.Context, x data.Points[[]float64]) ([]float64, error)
}
