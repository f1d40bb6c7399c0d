package learn

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Erase is the problem with points that have forgotten their type, as a search and the table of
// learners take it.
func (p Problem[T]) Erase() Problem[any] {
	return Problem[any]{Points: data.Erase(p.Points), Task: p.Task, Y: p.Y, More: p.More, Outputs: p.Outputs,
		Classes: p.Classes, Positive: p.Positive, Weights: p.Weights,
		ClassWeights: p.ClassWeights, Noise: p.Noise, Groups: p.Groups, Times: p.Times}
}

// OnVectors is a regressor on vectors as a model of erased points. It is for learners whose points
// are vectors alone, and that the table of learners has beside those on any points.
func OnVectors(m interface {
	Regressor[kernel.Vec]
	Saver[kernel.Vec]
}) Model[any] {
	return erasedRegressor{m}
}

// Erase is a saved model whose points have forgotten their type.
func (s Saved[T]) Erase() Saved[any] {
	return Saved[any]{Learner: s.Learner, Func: rkhs.Erase(s.Func), Classes: s.Classes, Numbers: s.Numbers,
		Arrays: s.Arrays, Report: s.Report}
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

// Support lists the training points that the model keeps; nil where its centres are none.
func (m erasedRegressor) Support() []int {
	if s, ok := m.of.(interface{ Support() []int }); ok {
		return s.Support()
	}
	return nil
}

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

// ClassesOnVectors is a classifier on vectors as a model of erased points; see OnVectors.
func ClassesOnVectors(m VectorClassifier) Model[any] { return erasedClassifier{m} }

// VectorClassifier is a classifier of class codes on vectors alone, with probabilities.
type VectorClassifier interface {
	Classifier[kernel.Vec, int]
	Probabilistic[kernel.Vec]
	Saver[kernel.Vec]
}

// erasedClassifier is a classifier on vectors whose points have forgotten their type.
type erasedClassifier struct{ of VectorClassifier }

// Func is the decision function.
func (m erasedClassifier) Func() *rkhs.Func[any] { return rkhs.EraseVectors(m.of.Func()) }

// Report says how the fit went.
func (m erasedClassifier) Report() Report { return m.of.Report() }

// Concrete is the classifier on vectors.
func (m erasedClassifier) Concrete() any { return m.of }

// Classes lists the labels in increasing order.
func (m erasedClassifier) Classes() []int { return m.of.Classes() }

// Decisions is the number of decision values of a point.
func (m erasedClassifier) Decisions() int { return m.of.Decisions() }

// HasProba says whether the model has probabilities.
func (m erasedClassifier) HasProba() bool { return m.of.HasProba() }

// DecidesByProba says whether all it says follows from its probabilities.
func (m erasedClassifier) DecidesByProba() bool {
	d, ok := m.of.(decidesByProba)
	return ok && d.DecidesByProba()
}

// Predict returns a label for each point.
func (m erasedClassifier) Predict(ctx context.Context, x data.Points[any]) ([]int, error) {
	v, err := vectorsOf(x)
	if err != nil {
		return nil, err
	}
	return m.of.Predict(ctx, v)
}

// PredictTo writes the label of point i to dst[i].
func (m erasedClassifier) PredictTo(ctx context.Context, dst []int, x data.Points[any]) error {
	v, err := vectorsOf(x)
	if err != nil {
		return err
	}
	return m.of.PredictTo(ctx, dst, v)
}

// Decision returns the decision values, a row for each point.
func (m erasedClassifier) Decision(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
	v, err := vectorsOf(x)
	if err != nil {
		return nil, err
	}
	return m.of.Decision(ctx, v)
}

// DecisionTo writes the decision values of point i to row i of dst.
func (m erasedClassifier) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	v, err := vectorsOf(x)
	if err != nil {
		return err
	}
	return m.of.DecisionTo(ctx, dst, v)
}

// Proba returns a row of class probabilities for each point.
func (m erasedClassifier) Proba(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
	v, err := vectorsOf(x)
	if err != nil {
		return nil, err
	}
	return m.of.Proba(ctx, v)
}

// ProbaTo writes the class probabilities of point i to row i of dst.
func (m erasedClassifier) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	v, err := vectorsOf(x)
	if err != nil {
		return err
	}
	return m.of.ProbaTo(ctx, dst, v)
}

// Saved returns the model as plain data.
func (m erasedClassifier) Saved() Saved[any] { return m.of.Saved().Erase() }

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
