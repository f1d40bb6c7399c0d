package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: its centres are all training points, its
// coefficients their votes; the array "self" is k(x, x) of each, the numbers are K
// and whether votes are "weighted".
func (m *KNNModel[T, L]) Saved() Saved[T] {
	s := m.neighbours.saved("knn")
	s.Classes = len(m.classes)
	return s
}

// Saved returns the model as plain data: its centres are all training points, its
// coefficients their weighted targets and weights; the array "self" is k(x, x) of each,
// the numbers are K and whether the mean is "weighted".
func (m *KNNRegressionModel[T]) Saved() Saved[T] { return m.neighbours.saved("knn-regression") }

func (m *neighbours[T]) saved(learner string) Saved[T] {
	s := Saved[T]{
		Learner: learner, Func: m.Func(), Report: m.report, Numbers: map[string]float64{"k": float64(m.o.K), "weighted": 0},
		Arrays: map[string]*mat.Dense{"self": mat.NewDense(1, len(m.index.self), m.index.self)},
	}
	if m.o.Weighted {
		s.Numbers["weighted"] = 1
	}
	return s
}

// neighbours brings the index back. The search is by tree or by brute force as AutoSearch chooses:
// both find the same neighbours.
func (s Saved[T]) neighbours() (*neighbours[T], error) {
	n := s.Func.Centers.Len()
	k, err := s.number("k")
	if err != nil {
		return nil, err
	}
	if k != math.Trunc(k) || !(k >= 1 && k <= float64(n)) {
		return nil, fmt.Errorf("%g neighbours of %d points", k, n)
	}
	self, err := s.array("self", 1, n)
	if err != nil {
		return nil, err
	}
	o := NeighbourOptions{K: int(k), Weighted: s.Numbers["weighted"] != 0}
	if last := s.Func.Centers.At(n - 1); o.Weighted && n > 1 && math.IsNaN(s.Func.Kernel.Eval(last, last)) {
		return nil, fmt.Errorf("neighbours that count by their distance need k(x, x) of new points, which rows of kernel values do not hold; fit without Weighted")
	}
	index := &neighbourIndex[T]{kernel: s.Func.Kernel, x: s.Func.Centers, self: self.RawRowView(0)}
	if err := index.prepare(context.Background(), AutoSearch); err != nil {
		return nil, err
	}
	return &neighbours[T]{index: index, o: o, coef: s.Func.Coef, report: s.Report}, nil
}

func restoreKNN[T any](s Saved[T]) (Predictor[T], error) {
	if s.Classes < 2 || s.Classes > 1<<20 {
		return nil, fmt.Errorf("%d classes", s.Classes)
	}
	if err := s.outputs(s.Classes); err != nil {
		return nil, err
	}
	n, err := s.neighbours()
	if err != nil {
		return nil, err
	}
	m := &KNNModel[T, int]{neighbours: *n, classes: codes(s.Classes)}
	return neighbourVotes[T]{probaPredictor[T]{classPredictor[T]{m, s}, m.Proba}}, nil
}

// neighbourVotes is a restored KNN.
type neighbourVotes[T any] struct{ probaPredictor[T] }

// Outputs is the columns of Scores.
func (p neighbourVotes[T]) Outputs() int {
	if p.saved.Classes == 2 {
		return 1
	}
	return p.saved.Classes
}

// neighbourMean is a restored KNNRegression, whose prediction is not its function.
type neighbourMean[T any] struct{ valuePredictor[T] }

// Outputs is 1: a column of Scores.
func (p neighbourMean[T]) Outputs() int { return 1 }

// Scores writes the predictions as a column.
func (p neighbourMean[T]) Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	if dst == nil {
		dst = new(mat.Dense)
		if x.Len() > 0 {
			dst = mat.NewDense(x.Len(), 1, nil)
		}
	}
	if x.Len() > 0 {
		dst.SetCol(0, p.Predict(nil, x))
	}
	return dst
}

func restoreKNNRegression[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.noClasses(); err != nil {
		return nil, err
	}
	if got := s.Func.Outputs(); got != 2 {
		return nil, fmt.Errorf("%d outputs, want 2 (weighted target, weight)", got)
	}
	n, err := s.neighbours()
	if err != nil {
		return nil, err
	}
	return neighbourMean[T]{valuePredictor[T]{&KNNRegressionModel[T]{*n}, s}}, nil
}
