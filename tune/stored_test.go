package tune

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// Learners that are fitted fold by fold look kernel values up in one matrix for all folds, repeats
// and settings, and score as they do from scratch.
func TestMachinesShareTheGramMatrix(t *testing.T) {
	t.Parallel()
	const n = 60
	folds := 4
	if testing.Short() {
		folds = 2
	}
	for turn, m := range all.Learners() {
		l := m.Name
		for _, task := range []data.Task{data.Multiclass, data.Regression} {
			// the others share more than the matrix
			if !m.Does(task) || m.OwnKernel || m.Cells != nil && l != "l1vm" && l != "l2vm" {
				continue
			}
			if testing.Short() && m.Does(data.Regression) && m.Does(data.Multiclass) &&
				(task == data.Regression) != (turn%2 == 0) {
				continue // one task of each that does both
			}
			var evals atomic.Int64
			s := Search{Problem: toy(n, task, 3), Candidates: []Candidate{{Learner: l, Kernel: vec(plainCounted{&evals}),
				Axes: learnerAxes(m, task, false, 1, 1)}},
				Protocol: Protocol{Folds: folds, Repeats: 2}, NoModel: true}
			e, err := s.engine()
			if err != nil {
				t.Fatal(err)
			}
			evals.Store(0)
			r, err := s.finish(t.Context(), e)
			if err != nil {
				t.Fatal(l, err)
			}
			most := int64(2 * n * n)
			if l == "knn" || l == "norma" {
				most *= 4 // they look at single pairs again, but not at all of them in every fold
			}
			if got := evals.Load(); got == 0 || got > most {
				t.Errorf("%s, %v: %d values of a kernel of %d pairs", l, task, got, n*n)
			}
			for _, c := range r.Cells {
				for f, fold := range r.Folds {
					if want := fromScratch(t, e, s.Problem, c, fold,
						r.Metric); !(math.Abs(want-c.Scores[f]) <= 1e-6*(1+math.Abs(want))) {
						t.Fatalf("%s, %v: %v fold %d: %.10g, from scratch %.10g", l, task, c, f, c.Scores[f], want)
					}
				}
			}
		}
	}
}

// Between rows of a problem and other points the kernel itself is asked.
func TestStoredKernelOfOtherPoints(t *testing.T) {
	p, other := toy(20, data.Regression, 1), toy(7, data.Regression, 2)
	e := &engine{p: p, metrics: newMetricStore(p.Points, 1<<20), bytes: 1 << 30}
	k, all := e.shared(&space{}, vec(kernel.Gaussian{}), 1)
	some := data.Gather(data.Gather(all.Points, []int{9, 3, 5, 7}), []int{2, 0, 0})
	for _, c := range []struct{ x, y data.Points[any] }{
		{some, all.Points}, {other.Points, some}, {some, other.Points}, {other.Points, other.Points},
		{data.Number(p.Points), some},
	} {
		got := kernel.Prepare(context.Background(), k, c.x, c.y)
		rows, cols := got.Dims()
		dst := make([]float64, rows*cols)
		kernel.Fill(1, blas64.General(linalg.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: dst}), got)
		for i := range rows {
			for j := range cols {
				if want := (kernel.Gaussian{}).Eval(c.x.At(i).(kernel.Vec),
					c.y.At(j).(kernel.Vec)); math.Abs(dst[i*cols+j]-want) > 1e-14 {
					t.Fatalf("k(%d, %d) = %v, want %v", i, j, dst[i*cols+j], want)
				}
			}
		}
	}
}
