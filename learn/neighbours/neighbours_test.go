package neighbours

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// TestNeighbours holds tree and brute force against sorting all distances, with
// many ties.
func TestNeighbours(t *testing.T) {
	x, y := learntest.Blobs(700, 3, 3, 1.5, 21)
	for i := range 700 { // duplicates and a grid
		for j := range 3 {
			x.Set(i, j, math.Round(2*x.At(i, j))/2)
		}
	}
	q := x.Slice(0, 150, 0, 3).(*mat.Dense)
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 2}, kernel.Linear{}, kernel.Laplace{}} {
		var first [][]int
		for _, s := range []Search{BruteSearch, TreeSearch, AutoSearch} {
			for _, threads := range datatest.Threads() {
				m, err := Classification[kernel.Vec, int]{Kernel: k,
					Options: Options{K: 7, Search: s, Resources: learn.Resources{Threads: threads}}}.Fit(context.Background(),
					data.Rows(x), y)
				if err != nil {
					t.Fatal(err)
				}
				got, dist, err := m.Neighbours(t.Context(), data.Rows(q))
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = got
					for i := range got {
						v := q.RawRowView(i)
						all := par.Indices(0, 700)
						key := make([]float64, 700)
						for j := range key {
							key[j] = k.Eval(x.RawRowView(j), x.RawRowView(j)) - 2*k.Eval(x.RawRowView(j), v)
						}
						slices.SortStableFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(key[a], key[b]), a-b) })
						if !slices.Equal(all[:7], got[i]) {
							t.Fatalf("%T: neighbours of %d are %v, want %v", k, i, got[i], all[:7])
						}
						if !slices.IsSorted(dist[i]) {
							t.Fatalf("distances %v", dist[i])
						}
					}
				}
				for i := range got {
					if !slices.Equal(got[i], first[i]) {
						t.Fatalf("%T, search %d, %d threads: neighbours of %d are %v, brute force finds %v", k, s, threads, i, got[i],
							first[i])
					}
				}
			}
		}
	}
}

func TestNearestMedoid(t *testing.T) {
	x, y := learntest.Blobs(120, 2, 3, 0.6, 22)
	k := kernel.Gaussian{Lengthscale: 3}
	m, err := Medoid[kernel.Vec, int]{Kernel: k}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	d2 := func(i, j int) float64 {
		return 2 - 2*k.Eval(x.RawRowView(i), x.RawRowView(j))
	}
	for _, p := range m.Medoids() {
		cost := func(i int) (s float64) {
			for j := range y {
				if y[j] == y[p] {
					s += d2(i, j)
				}
			}
			return s
		}
		for i := range y {
			if y[i] == y[p] && cost(i) < cost(p)-1e-9 {
				t.Errorf("point %d has cost %g, the medoid %d of its class %g", i, cost(i), p, cost(p))
			}
		}
	}
	for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
		best := -1
		for _, p := range m.Medoids() {
			if best < 0 || d2(i, p) < d2(i, best)-1e-12 {
				best = p
			}
		}
		if v != y[best] {
			t.Errorf("point %d is predicted %d, its nearest medoid has %d", i, v, y[best])
		}
	}
}
