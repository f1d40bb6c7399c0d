package neighbours

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: its centres are all training points, its
// coefficients their votes; the array "self" is k(x, x) of each, the numbers are K
// and whether votes are "weighted".
func (m *Classifier[T, L]) Saved() learn.Saved[T] {
	s := m.neighbours.saved("knn")
	s.Classes = len(m.classes)
	return s
}

// Saved returns the model as plain data: its centres are all training points, its
// coefficients their weighted targets and weights; the array "self" is k(x, x) of each,
// the numbers are K and whether the mean is "weighted".
func (m *Regressor[T]) Saved() learn.Saved[T] { return m.neighbours.saved("knn-regression") }

func (m *neighbours[T]) saved(learner string) learn.Saved[T] {
	s := learn.Saved[T]{
		Learner: learner, Func: m.Func(), Report: m.report, Numbers: map[string]float64{"k": float64(m.o.K), "weighted": 0},
		Arrays: map[string]*mat.Dense{"self": mat.NewDense(1, len(m.index.self), m.index.self)},
	}
	if m.o.Weighted {
		s.Numbers["weighted"] = 1
	}
	return s
}

// readNeighbours brings the index back. The search is by tree or by brute force as AutoSearch
// chooses: both find the same neighbours.
func readNeighbours[T any](s learn.Saved[T]) (*neighbours[T], error) {
	n := s.Func.Centers.Len()
	k, err := s.Number("k")
	if err != nil {
		return nil, err
	}
	if k != math.Trunc(k) || !(k >= 1 && k <= float64(n)) {
		return nil, fmt.Errorf("%g neighbours of %d points", k, n)
	}
	self, err := s.Array("self", 1, n)
	if err != nil {
		return nil, err
	}
	o := Options{K: int(k), Weighted: s.Numbers["weighted"] != 0}
	if last := s.Func.Centers.At(n - 1); o.Weighted && n > 1 && math.IsNaN(s.Func.Kernel.Eval(last, last)) {
		return nil, fmt.Errorf("neighbours that count by their distance need k(x, x) of new points, which rows of kernel " +
			"values do not hold; fit without Weighted")
	}
	index := newIndexOf(s.Func.Kernel, s.Func.Centers, self.RawRowView(0))
	if err := index.prepare(context.Background(), AutoSearch); err != nil {
		return nil, err
	}
	return &neighbours[T]{index: index, o: o, coef: s.Func.Coef, report: s.Report}, nil
}

func restoreClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckCount(); err != nil {
		return nil, err
	}
	if err := s.CheckOutputs(s.Classes); err != nil {
		return nil, err
	}
	n, err := readNeighbours(s)
	if err != nil {
		return nil, err
	}
	return &Classifier[T, int]{neighbours: *n, classes: s.Codes()}, nil
}

func restoreRegressor[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	if got := s.Func.Outputs(); got != 2 {
		return nil, fmt.Errorf("%d outputs, want 2 (weighted target, weight)", got)
	}
	n, err := readNeighbours(s)
	if err != nil {
		return nil, err
	}
	return &Regressor[T]{*n}, nil
}
