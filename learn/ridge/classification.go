package ridge

import (
	"cmp"
	"context"

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
	m, err := c.Regression.open().fit(ctx, data.Erase(x), signs(fitting.Codes(labels)))
	if err != nil {
		return nil, fitting.TypedStop(err, func(m learn.Model[any]) learn.Model[T] {
			return classifierOf(typed(c.Kernel, m.(*Regressor[any])), labels.Classes)
		})
	}
	return classifierOf(typed(c.Kernel, m), labels.Classes), nil
}

func classifierOf[T any, L cmp.Ordered](m *Regressor[T], classes []L) *Classifier[T, L] {
	return &Classifier[T, L]{*learn.NewExpansionClassifier(m.Func(), classes, nil, ofClasses(m.Report()))}
}

// ofClasses has a report say that what was fitted tells classes apart.
func ofClasses(r learn.Report) learn.Report {
	r.Learner = "ridge classifier" + r.Learner[len("ridge"):]
	return r
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
func signs(l learn.Labels[int]) *mat.Dense {
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
