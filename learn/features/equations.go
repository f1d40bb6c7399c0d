package features

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// NewEquations are the normal equations of Regression, and of Classification with Squares, for rows
// that lie in many places: frequencies take the place of centres, and their waves that of the
// kernel. like is some rows, near whose mean features are summed. What is solved is made a model of
// this package by RegressorOf and ClassifierOf. Options.Frequencies has to be set: how many rows
// there are is not known here.
func NewEquations[T any](
	ctx context.Context, k kernel.Kernel[T], like data.Points[T], classes int, shift []float64, intercept bool, o Options,
) (_ *nystrom.Equations[T], err error) {
	defer fault.Name("random features", &err)
	if like == nil || like.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if o.Frequencies < 1 {
		return nil, fmt.Errorf("Frequencies is %d; give a positive number", o.Frequencies)
	}
	if err := kernel.Check(k, like); err != nil {
		return nil, err
	}
	w, err := newWaves(k, like, o)
	if err != nil {
		return nil, err
	}
	phi := linalg.New[float64](like.Len(), w.dim())
	if err := w.fill(ctx, phi, like); err != nil {
		return nil, err
	}
	e := &nystrom.Equations[T]{Kernel: w.kernel, Centers: w.centers, Scale: w.scale, Center: make([]float64, w.dim()),
		Intercept: intercept, Threads: o.Threads}
	for i := range phi.Rows {
		for j, v := range phi.Row(i) {
			e.Center[j] += v / float64(phi.Rows)
		}
	}
	return e, e.SetTargets(classes, shift)
}

// RegressorOf is the solution of equations as the Regressor that it is.
func RegressorOf[T any](m *nystrom.Regressor[T]) *Regressor[T] {
	return &Regressor[T]{*learn.NewExpansionRegressor(m.Func(), nil, named(m.Report(), "features"))}
}

// ClassifierOf is the same for classes.
func ClassifierOf[T any, L cmp.Ordered](m *nystrom.Classifier[T, L]) *Classifier[T, L] {
	return &Classifier[T, L]{*learn.NewExpansionClassifier(m.Func(), m.Classes(), nil,
		named(m.Report(), "features classifier"))}
}

func named(r learn.Report, learner string) learn.Report {
	r.Learner = learner
	return r
}
