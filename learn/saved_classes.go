package learn

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// decider is a restored classifier on class codes with a decision function.
type decider[T any] interface {
	Classifier[T, int]
	Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense
}

// classPredictor is a restored classifier without probabilities.
type classPredictor[T any] struct {
	decider[T]
	saved Saved[T]
}

func (p classPredictor[T]) Saved() Saved[T] { return p.saved }

func (p classPredictor[T]) Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return p.Decision(dst, x)
}

func (p classPredictor[T]) Codes(dst []int, x data.Points[T]) []int { return p.Predict(dst, x) }

// oneForEach refuses all but one output for two classes, else one for each.
func (s Saved[T]) oneForEach() error {
	if s.Classes < 2 || s.Classes > 1<<20 {
		return fmt.Errorf("%d classes", s.Classes)
	}
	if s.Classes == 2 {
		return s.outputs(1)
	}
	return s.outputs(s.Classes)
}

// Saved returns the model as plain data.
func (m *RidgeClassifierModel[T, L]) Saved() Saved[T] {
	return Saved[T]{Learner: "ridge-classifier", Func: m.f, Classes: len(m.classes), Report: m.report}
}

func restoreRidgeClassifier[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.oneForEach(); err != nil {
		return nil, err
	}
	return withSlope(classPredictor[T]{&RidgeClassifierModel[T, int]{f: s.Func, classes: codes(s.Classes), report: s.Report}, s})
}

// Saved returns the model as plain data, the weights as the array "weights".
func (m *LinearSVCModel[T, L]) Saved() Saved[T] {
	return Saved[T]{
		Learner: "linear-svc", Func: m.Func(), Classes: len(m.classes), Report: m.report,
		Arrays: map[string]*mat.Dense{"weights": m.Weights()},
	}
}

func restoreLinearSVC[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.oneForEach(); err != nil {
		return nil, err
	}
	points, ok := s.Func.Centers.(interface{ Dim() int })
	if !ok || s.Func.Bias == nil {
		return nil, fmt.Errorf("no weights or intercepts")
	}
	w, err := s.array("weights", s.Func.Outputs(), points.Dim())
	if err != nil {
		return nil, err
	}
	m := &LinearSVCModel[T, int]{classes: codes(s.Classes), w: linalg.Of(w), bias: s.Func.Bias, report: s.Report}
	return withSlope(classPredictor[T]{m, s})
}

// probaPredictor is a restored classifier that has probabilities.
type probaPredictor[T any] struct {
	classPredictor[T]
	proba func(dst *mat.Dense, x data.Points[T]) *mat.Dense
}

func (p probaPredictor[T]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense { return p.proba(dst, x) }

// HasProba is true.
func (p probaPredictor[T]) HasProba() bool { return true }

// Saved returns the model as plain data.
func (m *LogisticModel[T, L]) Saved() Saved[T] {
	s := Saved[T]{Learner: "logistic", Func: m.f, Classes: len(m.classes), Report: m.report, Numbers: map[string]float64{"softmax": 0}}
	if m.softmax {
		s.Numbers["softmax"] = 1
	}
	return s
}

func restoreLogistic[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.oneForEach(); err != nil {
		return nil, err
	}
	m := &LogisticModel[T, int]{f: s.Func, classes: codes(s.Classes), softmax: s.Numbers["softmax"] != 0, report: s.Report}
	return probaPredictor[T]{classPredictor[T]{m, s}, m.Proba}, nil
}
