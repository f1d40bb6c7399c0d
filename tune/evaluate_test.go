package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// toy draws points in the plane with a target of the task.
func toy(n int, task data.Task, seed uint64) Problem[kernel.Vec] {
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
	return Problem[kernel.Vec]{Points: data.RowsOf(x), Task: task, Y: y}
}

func grid(l Learner) Candidate[kernel.Vec] {
	c := Candidate[kernel.Vec]{Learner: l, Kernel: kernel.Gaussian{}, Axes: []Axis{{Name: "gaussian.lengthscale", Values: []float64{0.5, 1, 2}}}}
	switch l {
	case SVM:
		c.Axes = append(c.Axes, Axis{Name: "C", Values: []float64{0.1, 1, 10, 100}})
	case Ridge, Logistic, L1VM, L2VM:
		c.Axes = append(c.Axes, Axis{Name: "lambda", Values: []float64{0.01, 0.1, 1}})
	}
	return c
}

// Every evaluator that shares work gives the scores of fits from scratch.
func TestSharedAgainstCold(t *testing.T) {
	for _, c := range []struct {
		learner Learner
		task    data.Task
		metric  Metric
		weights bool
		plain   bool
	}{
		{SVM, data.Binary, AUC(), false, false},
		{SVM, data.Binary, AUC(), true, false},
		{SVM, data.Multiclass, Accuracy(), false, false},
		{SVM, data.Regression, RMSE(), false, false},
		{Ridge, data.Regression, RMSE(), false, false},
		{Ridge, data.Regression, RMSE(), true, false},
		{Ridge, data.Regression, MAE(), false, true},
		{Ridge, data.Binary, AUC(), false, false},
		{Ridge, data.Multiclass, Accuracy(), false, false},
		{Logistic, data.Binary, LogLoss(), false, false},
		{Logistic, data.Multiclass, Accuracy(), false, false},
		{L1VM, data.Binary, LogLoss(), true, false},
		{L1VM, data.Regression, RMSE(), false, false},
		{L2VM, data.Multiclass, Accuracy(), false, false},
		{L2VM, data.Regression, RMSE(), true, false},
	} {
		p := toy(150, c.task, 1)
		if c.weights {
			rng := rand.New(rand.NewPCG(2, 2))
			for range p.Y {
				p.Weights = append(p.Weights, 0.5+rng.Float64())
			}
		}
		cand := grid(c.learner)
		cand.NoIntercept = c.plain
		s := Search[kernel.Vec]{Problem: p, Candidates: []Candidate[kernel.Vec]{cand}, Metric: c.metric, Tol: 1e-7, NoModel: true}
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

// A path solution is as exact as a cold one: same objective to 1e-6.
func TestPathObjectives(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Regression} {
		p := toy(200, task, 4)
		n := p.Len()
		k := kernel.Gaussian{Lengthscale: 1.5}
		gram := linalg.New[float32](n, n)
		newMetricStore[kernel.Vec](p.Points, 1<<30).gram32(gram, k, 1)
		folds, err := Split(Protocol{}, p)
		if err != nil {
			t.Fatal(err)
		}
		all := data.Fold{}
		for i := range n {
			all.Train = append(all.Train, i)
		}
		solver := sharedSolver(gram, 1e-6)
		master, path := foldSVM(p, all, solver), foldSVM(p, folds[0], sharedSolver(gram, 1e-6))
		for _, c := range []float64{0.1, 1, 10, 100} {
			for _, err := range []error{master.next(c, 0.1, nil), path.next(c, 0.1, master)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			cold := p.Gather(folds[0].Train)
			var want float64
			if task == data.Binary {
				m, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: c, Options: svm.Options{Tol: 1e-7}}.Fit(context.Background(), cold.Points, cold.codes())
				if err != nil {
					t.Fatal(err)
				}
				want = m.Report().Objective
			} else {
				m, err := svm.Regression[kernel.Vec]{Kernel: k, C: c, Epsilon: 0.1, Options: svm.Options{Tol: 1e-7}}.Fit(context.Background(), cold.Points, cold.Y)
				if err != nil {
					t.Fatal(err)
				}
				want = m.Report().Objective
			}
			scratch := foldSVM(p, folds[0], sharedSolver(gram, 1e-6))
			if err := scratch.next(c, 0.1, nil); err != nil {
				t.Fatal(err)
			}
			got := path.tasks[0].objective()
			if from := scratch.tasks[0].objective(); math.Abs(got-from) > 1e-6*(1+math.Abs(from)) {
				t.Errorf("%v C=%g: objective %.12g, from scratch %.12g", task, c, got, from)
			}
			// The learner works to double precision; the shared matrix is single.
			if math.Abs(got-want) > 5e-6*(1+math.Abs(want)) {
				t.Errorf("%v C=%g: objective %.12g, the learner's %.12g", task, c, got, want)
			}
		}
	}
}

// A tolerance that rounding does not let a fit reach is said, cell by cell.
func TestUnfinishedFitsAreSaid(t *testing.T) {
	for _, bytes := range []int64{0, 40_000} { // on the shared matrix, and from scratch
		s := Search[kernel.Vec]{Problem: toy(120, data.Binary, 2), Candidates: []Candidate[kernel.Vec]{grid(SVM)}, NoModel: true, Bytes: bytes}
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

// At the default tolerance, where pairs and factorisations work in single precision, a path is
// as good as the solver in double precision to 1e-4 of the objective and 5e-3 of decision values, at
// C = 1000 on an ill-conditioned matrix too; 1e-5 of the objective where rounding of the matrix does not count.
func TestSinglePrecisionPath(t *testing.T) {
	p := toy(700, data.Binary, 9)
	folds, err := Split(Protocol{}, p)
	if err != nil {
		t.Fatal(err)
	}
	store := newMetricStore[kernel.Vec](p.Points, 1<<30)
	pairs, factorisations := 0, 0
	for _, length := range []float64{0.1, 0.5, 2, 10} {
		k := kernel.Gaussian{Lengthscale: length}
		gram := store.borrow()
		store.gram32(gram, k, 1)
		path := foldSVM(p, folds[0], sharedSolver(gram, 0))
		for _, c := range []float64{0.01, 0.1, 1, 10, 100, 1000} {
			if err := path.next(c, 0, nil); err != nil {
				t.Fatal(err)
			}
			task := path.tasks[0]
			if !task.last.Converged || task.last.Violation > 1e-3 {
				t.Fatalf("length %g C=%g: %+v", length, c, task.last)
			}
			pairs, factorisations = pairs+task.last.Iterations, factorisations+task.last.Newtons
			cold := p.Gather(folds[0].Train)
			m, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: c, Options: svm.Options{Tol: 1e-7, Columns: svm.Float64Columns}}.Fit(context.Background(), cold.Points, cold.codes())
			if err != nil {
				t.Fatal(err)
			}
			// The solver's part is 1e-5; an entry of the matrix that is off by 2⁻²³ moves the
			// objective by at most ½·2⁻²³·(Σ|β|)² beyond that, which is what counts at high C.
			want, size := m.Report().Objective, 0.0
			for _, b := range task.beta {
				size += math.Abs(b)
			}
			if got := task.objective(); math.Abs(got-want) > min(1e-5*(1+math.Abs(want))+0x1p-24*size*size, 1e-4*(1+math.Abs(want))) {
				t.Errorf("length %g C=%g: objective %.10g, in double precision %.10g", length, c, got, want)
			}
			values := m.Decision(nil, data.Gather(p.Points, folds[0].Test))
			for i, r := range folds[0].Test {
				if got, want := task.f[r]+task.bias, values.At(i, 0); math.Abs(got-want) > 5e-3*(1+math.Abs(want)) {
					t.Fatalf("length %g C=%g row %d: decision value %.6f, in double precision %.6f", length, c, r, got, values.At(i, 0))
				}
			}
		}
		store.giveBack(gram)
	}
	if pairs == 0 || factorisations == 0 {
		t.Errorf("%d pairs, %d factorisations: this test does not test them", pairs, factorisations)
	}
}

// The result is the same to the bit at any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	for _, l := range []Learner{SVM, Ridge} {
		for _, race := range []bool{false, true} {
			var first *Result[kernel.Vec]
			for _, threads := range []int{1, 2, 8} {
				s := Search[kernel.Vec]{Problem: toy(120, data.Binary, 2), Candidates: []Candidate[kernel.Vec]{grid(l)}, Strategy: Grid{Refine: 1}, Race: race, Seed: 3}
				s.Threads = threadsOf(threads)
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
							t.Fatalf("%s race=%v %d threads: %v fold %d: %v, at one thread %v", l, race, threads, c, f, v, first.Cells[i].Scores[f])
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
		learner Learner
		task    data.Task
		metric  Metric
	}{
		{Ridge, data.Regression, RMSE()},
		{Logistic, data.Binary, LogLoss()},
		{GP, data.Regression, RMSE()},
	} {
		p := toy(90, c.task, 5)
		cand := grid(c.learner)
		if c.learner == GP {
			cand.Axes = nil
		}
		s := Search[kernel.Vec]{Problem: p, Candidates: []Candidate[kernel.Vec]{cand}, Metric: c.metric, Protocol: Protocol{Folds: 3}, NoModel: true}
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
	for _, l := range []Learner{SVM, Ridge, Logistic} {
		s := Search[kernel.Vec]{Problem: toy(120, data.Binary, 2), Candidates: []Candidate[kernel.Vec]{grid(l)}, Metric: AUC(), Tol: 1e-6, NoModel: true}
		rich, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range []int64{480_000, 240_000, 100_000, 58_000} {
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
func fromScratch(t *testing.T, e *engine[kernel.Vec], p Problem[kernel.Vec], cell Cell, fold data.Fold, metric Metric) float64 {
	t.Helper()
	space := e.spaces[0]
	k, err := space.kernelAt(cell.theta)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitOne(context.Background(), space, k, space.learnerAt(cell.theta), p.Gather(fold.Train), fitOptions{tol: 1e-7, bytes: 1 << 30})
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
