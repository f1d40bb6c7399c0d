package online

import "github.com/mercer-ml/mercer/learn"

// Saved returns the model as plain data; the number "log odds" is 1 where it has
// probabilities.
func (m *NormaClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.LogOddsClassifier.Saved()
	s.Numbers = map[string]float64{"log odds": 0}
	if m.logOdds {
		s.Numbers["log odds"] = 1
	}
	return s
}

func restoreNormaClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	m := &NormaClassifier[T, int]{learn.LogOddsClassifier[T, int]{ExpansionClassifier: *base}, s.Numbers["log odds"] != 0}
	if m.logOdds {
		return m, nil
	}
	return learn.RestoreSlope(s, m)
}
