package all

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Every learner of the table says of a row alone, one after another, what it says of it among
// others, to the bit: of vectors, of sparse rows, and of sparse rows most of whose entries are
// stored, which kernels read as whole rows.
func TestRowsStandAloneInTheWholeTable(t *testing.T) {
	const n, dim = 36, 6
	sparseKernel, err := kernel.OnSparse(kernel.Gaussian{Lengthscale: 2}, dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, points := range []struct {
		name   string
		stored int // entries of a row; 0: vectors
	}{{"vectors", 0}, {"sparse rows", 1}, {"sparse rows that are nearly full", 5}} {
		fitted := 0
		for _, a := range everyPair() {
			rng := rand.New(rand.NewPCG(7, uint64(points.stored)))
			var vectors data.Slice[kernel.Vec]
			var sparse data.Slice[data.SparseVec]
			y := make([]float64, n)
			for i := range n {
				v, r := make(kernel.Vec, dim), data.SparseVec{}
				for j := range v {
					v[j] = rng.NormFloat64()
					if (i+j)%dim < points.stored {
						r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, v[j])
					}
				}
				if y[i] = v[i%dim]; a.task != data.Regression {
					y[i] = float64(i % 2)
				}
				if a.task == data.Multiclass {
					y[i] = float64(i % 3)
				}
				vectors, sparse = append(vectors, v), append(sparse, r)
			}
			p := learn.Problem[kernel.Vec]{Points: vectors, Task: a.task, Y: y}.Erase()
			if points.stored > 0 {
				a.s.Kernel = kernel.OnSparseVectors(sparseKernel)
				p = learn.Problem[data.SparseVec]{Points: sparse, Task: a.task, Y: y}.Erase()
			}
			m, err := a.l.Fit(t.Context(), a.s, p)
			if err != nil {
				continue // not for such points: other tests say of which
			}
			fitted++
			of := func(rows ...int) [][]float64 { // all that is said of each
				q, err := learn.PredictAll(t.Context(), m, p.ClassCount(), data.Gather(p.Points, rows))
				if err != nil {
					t.Fatalf("%v on %s: %v", a, points.name, err)
				}
				out := make([][]float64, len(rows))
				for _, numbers := range [][]float64{q.Value, q.Score, q.Prob} {
					k := len(numbers) / len(rows)
					for i := range rows {
						out[i] = append(out[i], numbers[i*k:(i+1)*k]...)
					}
				}
				return out
			}
			rows := []int{5, 0, 7, 3}
			among := of(rows...)
			for range 2 { // the second time after others
				for at, i := range rows {
					if alone := of(i)[0]; len(alone) == 0 || !slices.Equal(alone, among[at]) {
						t.Errorf("%v on %s: of row %d it says %v, among others %v", a, points.name, i, alone, among[at])
					}
				}
			}
		}
		if fitted < 15 {
			t.Errorf("%s: %d fits", points.name, fitted)
		}
	}
}
