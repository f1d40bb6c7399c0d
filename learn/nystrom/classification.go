package nystrom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Classification tells classes apart by ridge regression on few centres with targets ±1, one class
// against the rest. All classes share the passes over the rows. Weights of Regression are
// multiplied by those of the classes.
type Classification[T any, L cmp.Ordered] struct {
	Regression[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
}

// Fit learns from points and their labels. When ctx ends in the iterations of Falkon the error is a
// *learn.Stopped.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	m, err := c.Path(ctx, x, y, []float64{c.Lambda})
	if err != nil {
		return nil, err
	}
	return m[0], nil
}

// Path learns the same for every λ of a list, as that of Regression.
func (c Classification[T, L]) Path(ctx context.Context, x data.Points[T], y []L, lambdas []float64) (_ []*Classifier[T, L], err error) {
	defer fault.Name("nystrom classifier", &err)
	labels, weights, err := checkLabels(x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	c.Weights = weights
	m, err := c.Regression.path(ctx, x, codesOf(labels), 1, signs(len(labels.Classes)), lambdas)
	if err == nil {
		out := make([]*Classifier[T, L], len(m))
		for i := range m {
			out[i] = classifierOf(m[i], labels.Classes)
		}
		return out, nil
	}
	var stopped *learn.Stopped[T]
	if errors.As(err, &stopped) {
		err = &learn.Stopped[T]{Model: classifierOf(stopped.Model.(*Regressor[T]), labels.Classes), Err: stopped.Err}
	}
	return nil, err
}

// FitSource learns from rows that come in blocks, whose one target is the place of the label in
// classes, which are in increasing order. The rows have weights of their own; Balance, ClassWeights
// and Weights are not read.
func (c Classification[T, L]) FitSource(ctx context.Context, rows data.Source[T], classes []L) (_ *Classifier[T, L], err error) {
	defer fault.Name("nystrom classifier", &err)
	if err := checkSourceOfCodes(rows, classes); err != nil {
		return nil, err
	}
	t := signs(len(classes))
	m, err := c.Regression.solve(ctx, rows, t.outputs(), t, learn.Moved[T]{}, []float64{c.Lambda})
	if err == nil {
		return classifierOf(m[0], classes), nil
	}
	var stopped *learn.Stopped[T]
	if errors.As(err, &stopped) {
		err = &learn.Stopped[T]{Model: classifierOf(stopped.Model.(*Regressor[T]), classes), Err: stopped.Err}
	}
	return nil, err
}

func checkSourceOfCodes[T any, L cmp.Ordered](rows data.Source[T], classes []L) error {
	switch {
	case rows == nil || rows.Len() == 0:
		return learn.ErrNoPoints
	case rows.Outputs() != 1:
		return fmt.Errorf("the rows have %d targets; one is the place of the class", rows.Outputs())
	case len(classes) < 2 || !slices.IsSorted(classes) || len(slices.Compact(slices.Clone(classes))) < len(classes):
		return fmt.Errorf("%d classes; give two or more, in increasing order", len(classes))
	}
	return nil
}

func checkLabels[T any, L cmp.Ordered](x data.Points[T], y []L, b learn.Balance, class map[L]float64, sample []float64) (learn.Labels[L], []float64, error) {
	labels, err := fitting.Labels(x, y)
	if err == nil && (b != learn.Unbalanced || len(class) > 0 || sample != nil) {
		sample, err = labels.PointWeights(b, class, sample)
	}
	return labels, sample, err
}

// codesOf is the class of each point as a number.
func codesOf[L cmp.Ordered](l learn.Labels[L]) []float64 {
	out := make([]float64, len(l.Code))
	for i, c := range l.Code {
		out[i] = float64(c)
	}
	return out
}

// signs is a number of classes as targets: +1 in the class, -1 outside; two classes have one
// output, positive for the larger label.
type signs int

func (n signs) outputs() int {
	if n == 2 {
		return 1
	}
	return int(n)
}

func (n signs) valid(code []float64) bool {
	return code[0] >= 0 && code[0] < float64(n) && code[0] == math.Trunc(code[0])
}

func (n signs) set(dst, code []float64) {
	for o := range dst {
		dst[o] = -1
	}
	switch at := int(code[0]); {
	case n > 2:
		dst[at] = 1
	case at == 1:
		dst[0] = 1
	}
}

// Classifier is a fitted Classification: its function has one output for two classes, positive for
// the larger label; else one for each class in order.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	condition float64
}

func classifierOf[T any, L cmp.Ordered](m *Regressor[T], classes []L) *Classifier[T, L] {
	report := m.Report()
	report.Learner = "nystrom classifier" + report.Learner[len("nystrom"):]
	return &Classifier[T, L]{*learn.NewExpansionClassifier(m.Func(), classes, nil, report), m.condition}
}

// Condition is that of Regressor.
func (m *Classifier[T, L]) Condition() float64 { return m.condition }
