package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// TestEveryMachineTakesPartInASearch: each learner of the table is searched over its own
// grid, does better than guessing, gives scores that agree with its classes, and can
// be saved; a task that it does not do is refused before anything is fitted.
func TestEveryMachineTakesPartInASearch(t *testing.T) {
	t.Parallel()
	const n = 60
	rng := rand.New(rand.NewPCG(5, 6))
	x, class, value := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		class[i] = float64(i % 3)
		for j := range 2 {
			x.Set(i, j, 2.5*class[i]*float64(1-2*j)*float64(1+j)/2+0.7*rng.NormFloat64())
		}
		value[i] = math.Sin(x.At(i, 0)) + 0.3*x.At(i, 1)
	}
	tasks := map[data.Task]learn.Problem[any]{
		data.Multiclass: {Points: data.Erase(data.Rows(x)), Task: data.Multiclass, Y: class,
			Classes: []string{"a", "b", "c"}},
		data.Regression: {Points: data.Erase(data.Rows(x)), Task: data.Regression, Y: value},
	}
	for turn, m := range all.Learners() {
		l := m.Name
		if l == "spline" {
			continue // of one column
		}
		for task, p := range tasks {
			if testing.Short() && m.Does(data.Regression) && m.Does(data.Multiclass) &&
				(task == data.Regression) != (turn%2 == 0) {
				continue // one task of each that does both
			}
			axes := learnerAxes(m, task, false, 1, 1)
			if testing.Short() {
				thin(axes)
			}
			c := Candidate{Learner: l, Kernel: vec(kernel.Gaussian{Lengthscale: 0.6}), Axes: axes}
			r, err := Search{Problem: p, Candidates: []Candidate{c}, Protocol: Protocol{Folds: datatest.Size(3, 2), Seed: 1},
				Seed: 1}.Run(context.Background())
			if !m.Does(task) {
				if why := "and the task is"; err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("%s, %v: error %v, want %q", l, task, err, why)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %v: %v", l, task, err)
				continue
			}
			if _, ok := r.Model.Model.(learn.Saver[any]); !ok {
				t.Errorf("%s: a %T cannot be saved", l, r.Model.Model)
			}
			if len(axes) > 0 && len(r.Cells) != cellsOf(axes) {
				t.Errorf("%s, %v: %d cells for a grid of %d", l, task, len(r.Cells), cellsOf(axes))
			}
			if task == data.Regression {
				if r.Best.Mean > 0.6 { // the deviation of the targets is above 1
					t.Errorf("%s: RMSE %g", l, r.Best.Mean)
				}
				continue
			}
			if r.Best.Mean < 0.85 && !m.OwnKernel { // no line tells the class in the middle from the others
				t.Errorf("%s: accuracy %g", l, r.Best.Mean)
			}
			q, err := r.Model.PredictAll(context.Background(), p.Points)
			if err != nil {
				t.Fatal(l, err)
			}
			for i, c := range q.Class {
				if l != "rvm" && learn.ArgMax(q.Score[3*i:3*i+3]) != c { // "rvm" goes by probability
					t.Errorf("%s: point %d is class %d with scores %v", l, i, c, q.Score[3*i:3*i+3])
					break
				}
			}
		}
	}
}

func cellsOf(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= len(a.Values)
	}
	return n
}

// thin leaves every other value of the long axes.
func thin(axes []Axis) {
	for i, a := range axes {
		if len(a.Values) < 4 {
			continue
		}
		axes[i].Values = nil
		for j := 1; j < len(a.Values); j += 2 {
			axes[i].Values = append(axes[i].Values, a.Values[j])
		}
	}
}
