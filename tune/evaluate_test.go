package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// toy draws points in the plane with a target of the task.
func toy(n int, task data.Task, seed uint64) learn.Problem[any] {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y := linalg.New[float64](n, 2), make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, b)
		s := math.Sin(2*a) + b/2 + 0.3*rng.NormFloat64()
		switch task {
		case data.Regression:
			y[i] = 3 + s
		case data.Binary:
			y[i] = indicator(s > 0)
		case data.Multiclass:
			y[i] = indicator(s > -0.5) + indicator(s > 0.5)
		}
	}
	return learn.Problem[any]{Points: data.Erase(data.RowsOf(x)), Task: task, Y: y}
}

func grid(l string) Candidate {
	c := Candidate{Learner: l, Kernel: vec(kernel.Gaussian{}),
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: []float64{0.5, 1, 2}}}}
	switch l {
	case "svm":
		c.Axes = append(c.Axes, Axis{Name: "C", Values: []float64{0.1, 1, 10, 100}})
	case "ridge", "logistic", "l1vm", "l2vm":
		c.Axes = append(c.Axes, Axis{Name: "lambda", Values: []float64{0.01, 0.1, 1}})
	}
	return c
}

// Every evaluator that shares work gives the scores of fits from scratch.
func TestSharedAgainstCold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		learner string
		task    data.Task
		metric  Metric
		weights bool
		plain   bool
	}{
		{"svm", data.Binary, AUC(), false, false},
		{"svm", data.Binary, AUC(), true, false},
		{"svm", data.Multiclass, Accuracy(), false, false},
		{"svm", data.Regression, RMSE(), false, false},
		{"ridge", data.Regression, RMSE(), false, false},
		{"ridge", data.Regression, RMSE(), true, false},
		{"ridge", data.Regression, MAE(), false, true},
		{"ridge", data.Binary, AUC(), false, false},
		{"ridge", data.Multiclass, Accuracy(), false, false},
		{"logistic", data.Binary, LogLoss(), false, false},
		{"logistic", data.Multiclass, Accuracy(), false, false},
		{"l1vm", data.Binary, LogLoss(), true, false},
		{"l1vm", data.Regression, RMSE(), false, false},
		{"l2vm", data.Multiclass, Accuracy(), false, false},
		{"l2vm", data.Regression, RMSE(), true, false},
	} {
		p := toy(datatest.Size(90, 60), c.task, 1)
		if c.weights {
			rng := rand.New(rand.NewPCG(2, 2))
			for range p.Y {
				p.Weights = append(p.Weights, 0.5+rng.Float64())
			}
		}
		cand := grid(c.learner)
		if testing.Short() {
			cand.Axes[0].Values = cand.Axes[0].Values[1:]
		}
		cand.NoIntercept = c.plain
		s := Search{Problem: p, Candidates: []Candidate{cand}, Metric: c.metric, Tol: 1e-7, NoModel: true}
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatalf("%s %v: %v", c.learner, c.task, err)
		}
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range r.Cells {
			for f, fold := range r.Folds {
				if want := fromScratch(t, e, p, cell, fold, c.metric); math.Abs(want-cell.Scores[f]) > 2e-4*(1+math.Abs(want)) {
					t.Fatalf("%s %v %v fold %d: %.10g, from scratch %.10g", c.learner, c.task, cell, f, cell.Scores[f], want)
				}
			}
		}
	}
}

// A tolerance that rounding does not let a fit reach is said, cell by cell.
func TestUnfinishedFitsAreSaid(t *testing.T) {
	t.Parallel()
	few := grid("svm")
	few.Axes[0].Values, few.Axes[1].Values = few.Axes[0].Values[1:2], few.Axes[1].Values[1:3]
	for _, bytes := range []int64{0, 10_000} { // on the shared matrix, and from scratch
		s := Search{Problem: toy(60, data.Binary, 2), Candidates: []Candidate{few}, NoModel: true, Bytes: bytes}
		s.Tol = 1e-19
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Warnings) == 0 {
			t.Errorf("%d bytes: no warning at a tolerance of 1e-19", bytes)
		}
		for _, c := range r.Cells {
			if c.Warning != "" && math.IsNaN(c.Mean) {
				t.Errorf("%v: no score", c)
			}
		}
		s.Tol = 1e-3
		if r, err = s.Run(context.Background()); err != nil || len(r.Warnings) != 0 {
			t.Errorf("%d bytes: %v, warnings %q", bytes, err, r.Warnings)
		}
	}
}

// The result is the same to the bit at any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	for _, l := range []string{"svm", "ridge"} {
		for _, race := range []bool{false, true} {
			var first *Result
			for _, threads := range datatest.Threads() {
				s := Search{Problem: toy(120, data.Binary, 2), Candidates: []Candidate{grid(l)}, Strategy: Grid{Refine: 1},
					Race: race, Seed: 3}
				s.Threads = threads
				r, err := s.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = r
					continue
				}
				if len(r.Cells) != len(first.Cells) {
					t.Fatalf("%s: %d cells, at one thread %d", l, len(r.Cells), len(first.Cells))
				}
				for i, c := range r.Cells {
					if c.String() != first.Cells[i].String() {
						t.Fatalf("%s: cell %d is %v, at one thread %v", l, i, c, first.Cells[i])
					}
					for f, v := range c.Scores {
						if math.Float64bits(v) != math.Float64bits(first.Cells[i].Scores[f]) {
							t.Fatalf("%s race=%v %d threads: %v fold %d: %v, at one thread %v", l, race, threads, c, f, v,
								first.Cells[i].Scores[f])
						}
					}
				}
			}
		}
	}
}

// What the shared evaluators of the other learners give is as exact as fits
// from scratch: the same scores to 1e-6.
func TestOtherPathsExact(t *testing.T) {
	for _, c := range []struct {
		learner string
		task    data.Task
		metric  Metric
	}{
		{"ridge", data.Regression, RMSE()},
		{"logistic", data.Binary, LogLoss()},
		{"gp", data.Regression, RMSE()},
	} {
		p := toy(90, c.task, 5)
		cand := grid(c.learner)
		if c.learner == "gp" {
			cand.Axes = nil
		}
		s := Search{Problem: p, Candidates: []Candidate{cand}, Metric: c.metric, Protocol: Protocol{Folds: 3}, NoModel: true}
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", c.learner, err)
		}
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range r.Cells {
			for f, fold := range r.Folds {
				if want := fromScratch(t, e, p, cell, fold, c.metric); !(math.Abs(want-cell.Scores[f]) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("%s %v fold %d: %.12g, from scratch %.12g", c.learner, cell, f, cell.Scores[f], want)
				}
			}
		}
	}
}

// Whatever the budget holds (distances and Gram matrices, Gram matrices alone,
// or neither: then learners keep a cache or compute again), the scores are the
// same.
func TestSmallBudget(t *testing.T) {
	t.Parallel()
	for _, l := range []string{"svm", "ridge", "logistic"} {
		few := grid(l)
		few.Axes[0].Values = few.Axes[0].Values[:2]
		s := Search{Problem: toy(120, data.Binary, 2), Candidates: []Candidate{few}, Metric: AUC(), Tol: 1e-6, NoModel: true}
		rich, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		budgets := []int64{480_000, 240_000, 100_000, 58_000}
		if testing.Short() {
			budgets = budgets[2:3]
		}
		for _, bytes := range budgets {
			s.Bytes = bytes
			poor, err := s.Run(context.Background())
			if err != nil {
				t.Fatalf("%s, %d bytes: %v", l, bytes, err)
			}
			for i, c := range rich.Cells {
				if !(math.Abs(c.Mean-poor.Cells[i].Mean) <= 1e-4) {
					t.Errorf("%s, %d bytes: %v: %g with little memory, %g with much", l, bytes, c, poor.Cells[i].Mean, c.Mean)
				}
			}
		}
	}
}

// fromScratch is the score of a cell on one fold by a fit of its own.
func fromScratch(t *testing.T, e *engine, p learn.Problem[any], cell Cell, fold data.Fold, metric Metric) float64 {
	t.Helper()
	space := e.spaces[0]
	k, err := space.kernelAt(cell.theta)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitOne(context.Background(), space, learn.Settings{Kernel: k, Params: space.learnerAt(cell.theta),
		NoIntercept: space.NoIntercept, Tol: 1e-7, Resources: learn.Resources{Bytes: 1 << 30}}, p.Gather(fold.Train))
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.PredictAll(context.Background(), data.Gather(p.Points, fold.Test))
	if err != nil {
		t.Fatal(err)
	}
	got.Rows = fold.Test
	e.complete(&got)
	return metric.Score(got)
}
