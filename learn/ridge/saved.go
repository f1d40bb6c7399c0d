package ridge

import "github.com/mercer-ml/mercer/learn"

func restoreRegressor[T any](s learn.Saved[T]) (learn.Model[T], error) {
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	return &Regressor[T]{*m}, nil
}

func restoreClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	m, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	return learn.RestoreSlope(s, &Classifier[T, int]{*m})
}
