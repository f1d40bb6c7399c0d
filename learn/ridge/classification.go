package ridge

import (
	"cmp"
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Classification tells classes apart by ridge regression on targets ±1, one
// class against the rest (the regularised least-squares classifier of Rifkin, Yeo and
// Poggio 2003). All classes share one factorisation. With the zero Regression it
// has no intercept. Weights of Regression are multiplied by those of the classes.
type Classification[T any, L cmp.Ordered] struct {
	Regression[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
}

// Fit learns from points and their labels.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *Classifier[T, L], err error) {
	defer fault.Name("ridge classifier", &err)
	labels, err := c.labels(x, y)
	if err != nil {
		return nil, err
	}
	m, err := c.Regression.fit(ctx, x, signs(labels))
	var stopped *learn.Stopped[T]
	switch {
	case errors.As(err, &stopped):
		return nil, &learn.Stopped[T]{Model: classifierOf(stopped.Model.(*Regressor[T]), labels.Classes), Err: stopped.Err}
	case err != nil:
		return nil, fitting.Explain(ctx, err, c.Kernel, x, c.Resources)
	}
	return classifierOf(m, labels.Classes), nil
}

func classifierOf[T any, L cmp.Ordered](m *Regressor[T], classes []L) *Classifier[T, L] {
	report := m.Report()
	report.Learner = "ridge classifier" + report.Learner[len("ridge"):]
	return &Classifier[T, L]{*learn.NewExpansionClassifier(m.Func(), classes, nil, report)}
}

// labels encodes y and multiplies the weights of its classes into r.
func (c *Classification[T, L]) labels(x data.Points[T], y []L) (learn.Labels[L], error) {
	labels, err := fitting.Labels(x, y)
	if err != nil {
		return labels, err
	}
	if c.Balance != learn.Unbalanced || len(c.ClassWeights) > 0 || c.Weights != nil {
		c.Weights, err = labels.PointWeights(c.Balance, c.ClassWeights, c.Weights)
	}
	return labels, err
}

// signs is the targets of the one-vs-rest tasks, a column each: +1 in the
// class, -1 outside; two classes have one column.
func signs[L cmp.Ordered](l learn.Labels[L]) *mat.Dense {
	tasks := l.Tasks(learn.OneVsRest)
	y := mat.NewDense(len(l.Code), len(tasks), nil)
	for j, t := range tasks {
		for a, v := range t.Targets() {
			y.Set(t.Index[a], j, v)
		}
	}
	return y
}

// Classifier is a fitted Classification: its function has one output for two classes, positive for
// the larger label; else one for each class in order.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
}
