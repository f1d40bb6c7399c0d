package learn

import "gonum.org/v1/gonum/mat"

// mostRows bounds the number of a training point in a file.
const mostRows = 1 << 53

// support reads which training points the centres are, where the file says so.
func (s Saved[T]) support() ([]int, error) {
	if s.Arrays["support"] == nil {
		return nil, nil
	}
	return s.Indices("support", s.Func.Centers.Len(), mostRows)
}

// supportArray is the support as an array; none where there is none.
func supportArray(support []int) map[string]*mat.Dense {
	if len(support) == 0 {
		return nil
	}
	return map[string]*mat.Dense{"support": IndexArray(support)}
}

// Saved returns the model as plain data; the array "support" is the numbers of the
// training points it kept.
func (m *ExpansionRegressor[T]) Saved() Saved[T] {
	return Saved[T]{Learner: savedName(m.report.Learner), Func: m.f, Report: m.report, Arrays: supportArray(m.support)}
}

// RestoreRegressor makes an ExpansionRegressor of plain data.
func RestoreRegressor[T any](s Saved[T]) (Model[T], error) {
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	return s.Regressor()
}

// Regressor is the ExpansionRegressor of plain data.
func (s Saved[T]) Regressor() (*ExpansionRegressor[T], error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	support, err := s.support()
	return NewExpansionRegressor(s.Func, support, s.Report), err
}

// Saved returns the model as plain data; the array "support" is the numbers of the
// training points it kept.
func (m *ExpansionClassifier[T, L]) Saved() Saved[T] {
	return Saved[T]{Learner: savedName(m.report.Learner), Func: m.f, Classes: len(m.classes), Report: m.report,
		Arrays: supportArray(m.support)}
}

// Classifier is the ExpansionClassifier of plain data, on class codes.
func (s Saved[T]) Classifier() (*ExpansionClassifier[T, int], error) {
	if err := s.CheckClasses(); err != nil {
		return nil, err
	}
	support, err := s.support()
	return NewExpansionClassifier(s.Func, s.Codes(), support, s.Report), err
}

// RestoreClassifier makes an ExpansionClassifier of plain data, with probabilities where it was
// calibrated.
func RestoreClassifier[T any](s Saved[T]) (Model[T], error) {
	m, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	return RestoreSlope(s, m)
}

// RestoreLogOdds makes a LogOddsClassifier of plain data.
func RestoreLogOdds[T any](s Saved[T]) (Model[T], error) {
	m, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	return &LogOddsClassifier[T, int]{*m}, nil
}
