package learn

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// valuePredictor is a restored model whose prediction is its function: ridge,
// support vector regression.
type valuePredictor[T any] struct {
	Regressor[T]
	saved Saved[T]
}

func (p valuePredictor[T]) Saved() Saved[T] { return p.saved }

func (p valuePredictor[T]) Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return scores(p.Func(), dst, x)
}

// noClasses refuses classes where numbers are predicted.
func (s Saved[T]) noClasses() error {
	if s.Classes != 0 {
		return fmt.Errorf("%d classes in a model that predicts numbers", s.Classes)
	}
	return nil
}

// Saved returns the model as plain data.
func (m *RidgeModel[T]) Saved() Saved[T] {
	return Saved[T]{Learner: "ridge", Func: m.f, Report: m.report}
}

func restoreRidge[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.noClasses(); err != nil {
		return nil, err
	}
	return valuePredictor[T]{&RidgeModel[T]{f: s.Func, report: s.Report}, s}, nil
}

// Saved returns the model as plain data.
func (m *SVRModel[T]) Saved() Saved[T] {
	return Saved[T]{Learner: "svr", Func: m.f, Report: m.report, Numbers: map[string]float64{"epsilon": m.machine.width}}
}

func restoreSVR[T any](s Saved[T]) (Predictor[T], error) {
	if err := s.noClasses(); err != nil {
		return nil, err
	}
	if err := s.outputs(1); err != nil {
		return nil, err
	}
	m := &SVRModel[T]{f: s.Func, report: s.Report, machine: &machine{width: s.Numbers["epsilon"]}}
	return valuePredictor[T]{m, s}, nil
}
