package tune

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
)

// A logistic fit on a fold's share of the search's Gram matrix has the objective of one
// from the points, at every λ.
func TestSharedLogisticObjectives(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p := toy(160, task, 5)
		k := kernel.Gaussian{Lengthscale: 0.8}
		gram := linalg.New[float64](p.Len(), p.Len())
		newMetricStore[kernel.Vec](p.Points, 1<<30).gram64(gram, k, 1)
		fold := roundRobin(p.Len(), 4)[1]
		cold := p.Gather(fold.Train)
		for _, lambda := range []float64{1e-3, 0.1, 10} {
			shared, err := logistic.Regression[int, int]{Kernel: foldKernel(gram, fold), Lambda: lambda, Intercept: true, Tol: 1e-6}.
				Fit(context.Background(), data.Indices(len(fold.Train)), cold.codes())
			if err != nil {
				t.Fatal(err)
			}
			want, err := logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: lambda, Intercept: true, Tol: 1e-9}.
				Fit(context.Background(), cold.Points, cold.codes())
			if err != nil {
				t.Fatal(err)
			}
			if a, b := shared.Report().Objective, want.Report().Objective; !(math.Abs(a-b) <= 1e-6*(1+math.Abs(b))) || b == 0 {
				t.Errorf("%v λ=%g: objective %.12g, from the points %.12g", task, lambda, a, b)
			}
		}
	}
}

// The penalised squares of a ridge machine whose fold was read off the one eigendecomposition are those of a
// fit: its predictions at the rows left out, put back as targets, must not move the machine of all rows.
// (The machine that is fitted to y with the left-out part replaced by its own predictions is the same.)
func TestRidgePathObjectives(t *testing.T) {
	p := toy(120, data.Regression, 6)
	n := p.Len()
	k := kernel.Gaussian{Lengthscale: 0.7}
	gram := linalg.New[float64](n, n)
	newMetricStore[kernel.Vec](p.Points, 1<<30).gram64(gram, k, 1)
	values, vectors, err := linalg.SymEigen(1, gram.Clone())
	if err != nil {
		t.Fatal(err)
	}
	root := make([]float64, n)
	for i := range root {
		root[i] = 1
	}
	lambdas := []float64{1e-3, 0.1, 10}
	r := newRidgeFolds(values, vectors, root, targetsOf(p), false)
	r.multiply(1, lambdas)
	fold := roundRobin(n, 5)[2]
	left := r.fold(fold.Test)
	// ½‖y - Kα‖² + ½λαᵀKα over the rows given, at α = (K + λ)⁻¹y.
	objective := func(rows []int, y []float64, lambda float64) float64 {
		a, b := linalg.New[float64](len(rows), len(rows)), linalg.New[float64](len(rows), 1)
		copy(b.Data, y)
		for i, r := range rows {
			for j, c := range rows {
				a.Set(i, j, gram.At(r, c))
			}
			a.Set(i, i, a.At(i, i)+lambda)
		}
		c, err := linalg.NewCholesky(1, a)
		if err != nil {
			t.Fatal(err)
		}
		c.Solve(1, b)
		sum := 0.0 // ½λyᵀα
		for i, v := range y {
			sum += 0.5 * lambda * v * b.Data[i]
		}
		return sum
	}
	for l, lambda := range lambdas {
		got, err := left.leftOut(l)
		if err != nil {
			t.Fatal(err)
		}
		put := append([]float64(nil), p.Y...)
		for i, r := range fold.Test {
			put[r] = got.Data[i]
		}
		a, b := objective(allRows(n), put, lambda), objective(fold.Train, gather(p.Y, fold.Train), lambda)
		if math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
			t.Errorf("λ=%g: objective %.12g, a fit's %.12g", lambda, a, b)
		}
	}
}

// Three classes and weights share one solver along the path; each machine of a
// fold has the objective of one that starts from nothing.
func TestPathObjectivesOfClasses(t *testing.T) {
	p := toy(260, data.Multiclass, 8)
	for i := range p.Y {
		p.Weights = append(p.Weights, 0.5+float64(i%3))
	}
	store := newMetricStore[kernel.Vec](p.Points, 1<<30)
	for _, length := range []float64{0.002, 0.01, 0.3, 2} { // the first two make K as good as diagonal
		gram := store.borrow()
		rest := store.gram32(gram, kernel.Gaussian{Lengthscale: length}, 1)
		fold := roundRobin(p.Len(), 5)[0]
		master := foldSVM(p, data.Fold{Train: allRows(p.Len())}, store.borrowSolver(gram, rest, 1e-6))
		path := foldSVM(p, fold, store.borrowSolver(gram, rest, 1e-6))
		for _, c := range []float64{0.03, 0.3, 3, 30, 300} {
			scratch := foldSVM(p, fold, sharedSolver(gram, 1e-6))
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
		store.giveBackSolvers([]*solve.SharedSMO{master.solver, path.solver})
		store.giveBack(gram)
	}
}
