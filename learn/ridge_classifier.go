package learn

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// RidgeClassifier tells classes apart by ridge regression on targets ±1, one
// class against the rest (the regularised least-squares classifier of Rifkin, Yeo and
// Poggio 2003). All classes share one factorisation. With the zero Ridge it
// has no intercept; see the fields of Ridge. SampleWeights of Ridge are multiplied by those
// of the classes.
type RidgeClassifier[T any, L cmp.Ordered] struct {
	Ridge[T]
	Balance      Balance       // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
}

// Fit learns from points and their labels.
func (c RidgeClassifier[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*RidgeClassifierModel[T, L], error) {
	labels, err := c.labels(x, y)
	if err != nil {
		return nil, fmt.Errorf("ridge classifier: %w", err)
	}
	m, err := c.Ridge.fit(ctx, x, labels.signs())
	if err != nil {
		return nil, fmt.Errorf("ridge classifier: %w", err)
	}
	m.report.Learner = "ridge classifier" + m.report.Learner[len("ridge"):]
	return &RidgeClassifierModel[T, L]{f: m.f, classes: labels.Classes, report: m.report}, nil
}

// labels encodes y and multiplies the weights of its classes into r.
func (c *RidgeClassifier[T, L]) labels(x data.Points[T], y []L) (Labels[L], error) {
	var labels Labels[L]
	if x == nil || x.Len() == 0 {
		return labels, ErrNoPoints
	}
	labels, err := EncodeLabels(y)
	if err != nil {
		return labels, err
	}
	if x.Len() != len(y) {
		return labels, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	}
	if c.Balance != Unbalanced || len(c.ClassWeights) > 0 || c.SampleWeights != nil {
		c.SampleWeights, err = labels.PointWeights(c.Balance, c.ClassWeights, c.SampleWeights)
	}
	return labels, err
}

// signs is the targets of the one-vs-rest tasks, a column each: +1 in the
// class, -1 outside; two classes have one column.
func (l Labels[L]) signs() *mat.Dense {
	tasks := l.Tasks(OneVsRest)
	y := mat.NewDense(len(l.Code), len(tasks), nil)
	for j, t := range tasks {
		for a, v := range t.Targets() {
			y.Set(t.Index[a], j, v)
		}
	}
	return y
}

// RidgeClassifierModel is a fitted RidgeClassifier.
type RidgeClassifierModel[T any, L cmp.Ordered] struct {
	f       *rkhs.Func[T]
	classes []L
	report  Report
}

// Func is the decision function: one output for two classes, positive for the
// larger label; else one for each class in order.
func (m *RidgeClassifierModel[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *RidgeClassifierModel[T, L]) Report() Report { return m.report }

// Classes lists the labels in increasing order.
func (m *RidgeClassifierModel[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Decision writes the decision values, a row for each point, into dst, or into
// a new matrix when dst is nil.
func (m *RidgeClassifierModel[T, L]) Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return evaluateAll(m.f, dst, x)
}

// Predict returns the label of each point, in dst when it is long enough.
func (m *RidgeClassifierModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	if d := m.Decision(nil, x); d != nil {
		for i := range code {
			code[i] = DecideOneVsRest(d.RawRowView(i))
		}
	}
	return decode(dst, m.classes, code)
}
