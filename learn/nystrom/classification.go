package nystrom

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
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
func (c Classification[T, L]) Path(
	ctx context.Context, x data.Points[T], y []L, lambdas []float64,
) (_ []*Classifier[T, L], err error) {
	defer fault.Name("nystrom classifier", &err)
	points := data.Erase(x)
	labels, weights, err := checkLabels(points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	c.Weights = weights
	m, err := c.Regression.open().classes(ctx, points, labels.Code, len(labels.Classes), lambdas)
	return classifiers(c.Kernel, m, labels.Classes, err)
}

// classifiers is what a fit of points and labels that have lost their types gives, for those that
// have them.
func classifiers[T any, L cmp.Ordered](
	k kernel.Kernel[T], m []*Regressor[any], classes []L, err error,
) ([]*Classifier[T, L], error) {
	if err != nil {
		return nil, fitting.TypedStop(err, func(m learn.Model[any]) learn.Model[T] {
			return classifierOf(typed(k, m.(*Regressor[any])), classes)
		})
	}
	out := make([]*Classifier[T, L], len(m))
	for i := range m {
		out[i] = classifierOf(typed(k, m[i]), classes)
	}
	return out, nil
}

// classes is path for the codes of classes.
func (r regression) classes(
	ctx context.Context, x data.Points[any], code []int, classes int, lambdas []float64,
) ([]*Regressor[any], error) {
	m, err := r.path(ctx, x, codesOf(code), 1, signs(classes), lambdas)
	return m, named(err)
}

// named is an error of a regression, where a classifier has one.
func named(err error) error {
	if _, stopped := err.(*learn.Stopped[any]); stopped || err == nil {
		return err // of a model whose report says what it is
	}
	return fmt.Errorf("nystrom: %w", err)
}

// FitSource learns from rows that come in blocks, whose one target is the place of the label in
// classes, which are in increasing order. The rows have weights of their own; Balance, ClassWeights
// and Weights are not read.
func (c Classification[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *Classifier[T, L], err error) {
	defer fault.Name("nystrom classifier", &err)
	source := fitting.EraseSource(rows)
	if err := checkSourceOfCodes(source, classes); err != nil {
		return nil, err
	}
	m, err := c.Regression.open().classesOfSource(ctx, source, signs(len(classes)))
	all, err := classifiers(c.Kernel, m, classes, err)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (r regression) classesOfSource(
	ctx context.Context, rows data.Source[any], t signs,
) ([]*Regressor[any], error) {
	return r.solve(ctx, rows, t.outputs(), t, fitting.Moved[any]{}, []float64{r.Lambda})
}

func checkSourceOfCodes[L cmp.Ordered](rows data.Source[any], classes []L) error {
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

func checkLabels[L cmp.Ordered](
	x data.Points[any], y []L, b learn.Balance, class map[L]float64, sample []float64,
) (learn.Labels[L], []float64, error) {
	labels, err := fitting.Labels(x, y)
	if err == nil && (b != learn.Unbalanced || len(class) > 0 || sample != nil) {
		sample, err = labels.PointWeights(b, class, sample)
	}
	return labels, sample, err
}

// codesOf is the class of each point as a number.
func codesOf(code []int) []float64 {
	out := make([]float64, len(code))
	for i, c := range code {
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
