package svm

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// single is a Gram matrix as a search hands it over: in single precision, without tiny numbers,
// with a bound on its entries off the diagonal.
func single(x data.Points[kernel.Vec], k kernel.Kernel[kernel.Vec]) (linalg.Matrix[float32], float64) {
	n := x.Len()
	stride := solve.PaddedStride(n)
	gram := linalg.Matrix[float32]{Rows: n, Cols: n, Stride: stride, Data: make([]float32, n*stride)}
	kernel.Fill32(1, linalg.General32(gram), kernel.Prepare(context.Background(), k, x, x))
	rest := 0.0
	for i := range n {
		simd.FlushTiny(gram.Row(i))
		for j, v := range gram.Row(i) {
			if i != j {
				rest = max(rest, math.Abs(float64(v)))
			}
		}
	}
	if rest > 1e-6 {
		rest = math.Inf(1)
	}
	return gram, rest
}

func sharedSolver(k linalg.Matrix[float32], tol float64) *solve.SharedSMO {
	return &solve.SharedSMO{K: k, Tol: tol}
}

func renewed(k linalg.Matrix[float32], rest, tol float64) *solve.SharedSMO {
	s := &solve.SharedSMO{Tol: tol}
	s.Renew(k, rest)
	return s
}

func (t *svmTask) objective() float64 { return solve.BoxObjective(t.qp, t.beta, t.f) }

// next goes on to the next price and solves there.
func (p *pathSVM) next(c, epsilon float64, master *pathSVM) error {
	p.price(c, epsilon)
	return p.solve(context.Background(), c, master)
}

// A path solution is as exact as a cold one: same objective to 1e-6.
func TestPathObjectives(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Regression} {
		p := learntest.Problem(200, task, 4)
		n := p.Len()
		k := kernel.Gaussian{Lengthscale: 1.5}
		gram, _ := single(p.Points, k)
		folds := learntest.RoundRobin(n, 5)
		all := data.Fold{}
		for i := range n {
			all.Train = append(all.Train, i)
		}
		solver := sharedSolver(gram, 1e-6)
		master, path := foldSVM(p.Erase(), all, solver), foldSVM(p.Erase(), folds[0], sharedSolver(gram, 1e-6))
		for _, c := range []float64{0.1, 1, 10, 100} {
			for _, err := range []error{master.next(c, 0.1, nil), path.next(c, 0.1, master)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			cold := p.Gather(folds[0].Train)
			var want float64
			if task == data.Binary {
				m, err := Classification[kernel.Vec, int]{Kernel: k, C: c, Options: Options{Tol: 1e-7}}.Fit(context.Background(),
					cold.Points, cold.Codes())
				if err != nil {
					t.Fatal(err)
				}
				want = m.Report().Objective
			} else {
				m, err := Regression[kernel.Vec]{Kernel: k, C: c, Epsilon: 0.1,
					Options: Options{Tol: 1e-7}}.Fit(context.Background(), cold.Points, cold.Y)
				if err != nil {
					t.Fatal(err)
				}
				want = m.Report().Objective
			}
			scratch := foldSVM(p.Erase(), folds[0], sharedSolver(gram, 1e-6))
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

// At the default tolerance, where pairs and factorisations work in single precision, a path is as
// good as the solver in double precision to 1e-4 of the objective and 5e-3 of decision values, at C
// = 1000 on an ill-conditioned matrix too; 1e-5 of the objective where rounding of the matrix does
// not count.
func TestSinglePrecisionPath(t *testing.T) {
	p := learntest.Problem(700, data.Binary, 9)
	folds := learntest.RoundRobin(p.Len(), 5)
	pairs, factorisations := 0, 0
	for _, length := range []float64{0.1, 0.5, 2, 10} {
		k := kernel.Gaussian{Lengthscale: length}
		gram, _ := single(p.Points, k)
		path := foldSVM(p.Erase(), folds[0], sharedSolver(gram, 0))
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
			m, err := Classification[kernel.Vec, int]{Kernel: k, C: c,
				Options: Options{Tol: 1e-7, Columns: Float64Columns}}.Fit(context.Background(), cold.Points, cold.Codes())
			if err != nil {
				t.Fatal(err)
			}
			// The solver's part is 1e-5; an entry of the matrix that is off by 2⁻²³ moves the
			// objective by at most ½·2⁻²³·(Σ|β|)² beyond that, which is what counts at high C.
			want, size := m.Report().Objective, 0.0
			for _, b := range task.beta {
				size += math.Abs(b)
			}
			if got := task.objective(); math.Abs(got-want) > min(1e-5*(1+math.Abs(want))+0x1p-24*size*size,
				1e-4*(1+math.Abs(want))) {
				t.Errorf("length %g C=%g: objective %.10g, in double precision %.10g", length, c, got, want)
			}
			values := modeltest.Decision(t, m, data.Gather(p.Points, folds[0].Test))
			for i, r := range folds[0].Test {
				if got, want := task.f[r]+task.bias, values.At(i, 0); math.Abs(got-want) > 5e-3*(1+math.Abs(want)) {
					t.Fatalf("length %g C=%g row %d: decision value %.6f, in double precision %.6f", length, c, r, got,
						values.At(i, 0))
				}
			}
		}
	}
	if pairs == 0 || factorisations == 0 {
		t.Errorf("%d pairs, %d factorisations: this test does not test them", pairs, factorisations)
	}
}

// Three classes and weights share one solver along the path; each machine of a
// fold has the objective of one that starts from nothing.
func TestPathObjectivesOfClasses(t *testing.T) {
	p := learntest.Problem(260, data.Multiclass, 8)
	for i := range p.Y {
		p.Weights = append(p.Weights, 0.5+float64(i%3))
	}
	for _, length := range []float64{0.002, 0.01, 0.3, 2} { // the first two make K as good as diagonal
		gram, rest := single(p.Points, kernel.Gaussian{Lengthscale: length})
		fold := learntest.RoundRobin(p.Len(), 5)[0]
		master := foldSVM(p.Erase(), data.Fold{Train: par.Indices(0, p.Len())}, renewed(gram, rest, 1e-6))
		path := foldSVM(p.Erase(), fold, renewed(gram, rest, 1e-6))
		for _, c := range []float64{0.03, 0.3, 3, 30, 300} {
			scratch := foldSVM(p.Erase(), fold, sharedSolver(gram, 1e-6))
			for _, err := range []error{master.next(c, 0, nil), path.next(c, 0, master), scratch.next(c, 0, nil)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range path.tasks {
				got, want := path.tasks[i].objective(), scratch.tasks[i].objective()
				if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("length %g C=%g machine %d: objective %.12g, from scratch %.12g", length, c, i, got, want)
				}
			}
		}
	}
}
