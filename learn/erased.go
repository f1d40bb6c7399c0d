package learn

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// Erase is the problem with points that have forgotten their type, as a search and the table of learners take it.
func (p Problem[T]) Erase() Problem[any] {
	return Problem[any]{Points: data.Erase(p.Points), Task: p.Task, Y: p.Y, More: p.More, Classes: p.Classes, Positive: p.Positive, Weights: p.Weights,
		ClassWeights: p.ClassWeights, Groups: p.Groups, Times: p.Times}
}

// OnVectors is a regressor on vectors as a model of erased points. It is for learners whose points are vectors alone, and that
// the table of learners has beside those on any points.
func OnVectors(m interface {
	Regressor[kernel.Vec]
	Saver[kernel.Vec]
}) Model[any] {
	return erasedRegressor{m}
}

// SavedOnVectors is a saved model as one of vectors, and whether it is.
func SavedOnVectors(s Saved[any]) (Saved[kernel.Vec], bool) {
	f, ok := rkhs.OnVectors(s.Func)
	return Saved[kernel.Vec]{Learner: s.Learner, Func: f, Classes: s.Classes, Numbers: s.Numbers, Arrays: s.Arrays, Report: s.Report}, ok
}

// Erase is a saved model whose points have forgotten their type.
func (s Saved[T]) Erase() Saved[any] {
	return Saved[any]{Learner: s.Learner, Func: rkhs.Erase(s.Func), Classes: s.Classes, Numbers: s.Numbers, Arrays: s.Arrays, Report: s.Report}
}

// erasedRegressor is a regressor on vectors whose points have forgotten their type.
type erasedRegressor struct {
	of interface {
		Regressor[kernel.Vec]
		Saver[kernel.Vec]
	}
}

// Func is the regression function.
func (m erasedRegressor) Func() *rkhs.Func[any] { return rkhs.EraseVectors(m.of.Func()) }

// Report says how the fit went.
func (m erasedRegressor) Report() Report { return m.of.Report() }

// Concrete is the regressor on vectors.
func (m erasedRegressor) Concrete() any { return m.of }

// Predict returns a value for each point.
func (m erasedRegressor) Predict(ctx context.Context, x data.Points[any]) ([]float64, error) {
	v, err := vectorsOf(x)
	if err != nil {
		return nil, err
	}
	return m.of.Predict(ctx, v)
}

// PredictTo writes the value of point i to dst[i].
func (m erasedRegressor) PredictTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	v, err := vectorsOf(x)
	if err != nil {
		return err
	}
	return m.of.PredictTo(ctx, dst, v)
}

// Saved returns the model as plain data.
func (m erasedRegressor) Saved() Saved[any] {
	return m.of.Saved().Erase()
}

func vectorsOf(x data.Points[any]) (data.Points[kernel.Vec], error) {
	if x == nil {
		return nil, nil
	}
	v, ok := data.VectorsOf(x)
	if !ok {
		return nil, &notVectors{data.Concrete(x)}
	}
	return v, nil
}

type notVectors struct{ points any }

func (e *notVectors) Error() string {
	return fmt.Sprintf("points are %T; the model is one on vectors", e.points)
}
