package neighbours

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// What single precision leaves out is never among the nearest: points that differ by less than it
// can tell, of any size, and queries beyond it, are ranked as sorting all keys ranks them.
func TestScreenLosesNoNeighbour(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	cloud := func(n, d int, size, spread float64) linalg.Matrix[float64] {
		m := linalg.New[float64](n, d)
		for i := range m.Data {
			m.Data[i] = size * (math.Round(3*random.NormFloat64()) + spread*random.NormFloat64())
		}
		return m
	}
	const k = 6
	for _, c := range []struct {
		name         string
		d            int
		size, spread float64
		far          float64 // what the first query is multiplied by
		screened     bool
	}{
		{"plain", 4, 1, 1, 1, true},
		{"nearly ties", 3, 1, 1e-8, 1, true},
		{"large", 40, 1e12, 1e-7, 1, true},
		{"small", 40, 1e-12, 1e-7, 1, true},
		{"one query far away", 4, 1, 1e-7, 1e17, true},
		{"beyond single precision", 4, 1e20, 1, 1, false},
		{"vanishing in it", 4, 1e-20, 1, 1, false},
	} {
		x, q := cloud(500, c.d, c.size, c.spread), cloud(screenFrom, c.d, c.size, c.spread)
		for j := range q.Row(0) {
			q.Row(0)[j] *= c.far
		}
		o := Options{K: k, Search: BruteSearch, Resources: learn.Resources{Threads: 2, Bytes: 1 << 30}}
		index, err := newNeighbourIndex[kernel.Vec](t.Context(), "knn", kernel.Linear{}, data.RowsOf(x), o, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := index.newScreen(index.moved.To(data.RowsOf(q))) != nil; got != c.screened {
			t.Errorf("%s: screened is %t", c.name, got)
		}
		index.search(t.Context(), data.RowsOf(q), k, func() visitor {
			return func(i int, _ float64, found []neighbour) {
				p := index.moved.To(data.RowsOf(q)).At(i)
				all, key := par.Indices(0, x.Rows), make([]float64, x.Rows)
				for j := range key {
					key[j] = index.key(p, j)
				}
				slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(key[a], key[b]), a-b) })
				for a, f := range found {
					if f.at != all[a] || f.key != key[all[a]] {
						t.Errorf("%s: neighbour %d of query %d is %d with key %g, want %d with %g", c.name, a, i, f.at, f.key, all[a],
							key[all[a]])
					}
				}
				if len(found) != k {
					t.Errorf("%s: %d neighbours of query %d", c.name, len(found), i)
				}
			}
		})
	}
}
