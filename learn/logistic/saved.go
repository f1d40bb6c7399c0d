package logistic

import "github.com/mercer-ml/mercer/learn"

// Saved returns the model as plain data; the number "softmax" is 1 where more than two classes are
// one model.
func (m *Classifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	s.Learner, s.Numbers = "logistic", map[string]float64{"softmax": 0}
	if m.softmax {
		s.Numbers["softmax"] = 1
	}
	return s
}

func restoreClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	m, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	return &Classifier[T, int]{*m, s.Numbers["softmax"] != 0}, nil
}
