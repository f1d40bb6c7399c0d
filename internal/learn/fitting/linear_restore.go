package fitting

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// RestoreLinear makes a LinearClassifier of plain data.
func RestoreLinear[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckClasses(); err != nil {
		return nil, err
	}
	if space, ok := any(s.Func.Kernel).(*kernel.FeatureSpace); ok {
		w, err := weightsOf(space, data.Erase(s.Func.Centers), s.Func.Outputs())
		if err != nil {
			return nil, err
		}
		return learn.RestoreSlope(s, learn.NewLinearClassifier[T](s.Learner, s.Codes(), w, s.Func.Bias, s.Report).In(space))
	}
	points, ok := data.Concrete(s.Func.Centers).(interface{ Dim() int })
	if !ok || s.Func.Bias == nil {
		return nil, fmt.Errorf("no weights or intercepts")
	}
	a, err := s.Array("weights", s.Func.Outputs(), points.Dim())
	if err != nil {
		return nil, err
	}
	w := make([][]float64, s.Func.Outputs())
	for k := range w {
		w[k] = a.RawRowView(k)
	}
	return learn.RestoreSlope(s, learn.NewLinearClassifier[T](s.Learner, s.Codes(), w, s.Func.Bias,
		s.Report).Like(s.Func.Centers))
}

// weightsOf is the inverse of sparseWeights.
func weightsOf(space *kernel.FeatureSpace, centers data.Points[any], outputs int) ([][]float64, error) {
	rows, ok := data.SparseOfPoints(centers)
	if !ok || rows.Len() != outputs {
		return nil, fmt.Errorf("no weights of features for %d outputs", outputs)
	}
	w := make([][]float64, outputs)
	for k := range w {
		w[k] = make([]float64, max(len(space.Names), 1))
		row := rows.At(k)
		for e, j := range row.Index {
			w[k][j] = row.Value[e]
		}
	}
	return w, nil
}
