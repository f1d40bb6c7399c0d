package svm

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// featureRegression is a Regression by sparse features.
type featureRegression struct{ Regression[any] }

// can says whether the machine asked for is one that features are used for.
func (r featureRegression) can(x data.Points[any]) bool {
	return r.Nu == 0 && r.C >= 0 && !math.IsInf(r.C, 1) && r.Epsilon >= 0 && !math.IsInf(r.Epsilon, 1) && r.Start == nil && r.Device == nil &&
		r.Columns == AutoColumns && r.WorkingSet == 0 && r.MaxIterations == 0 && fitting.HasSparseFeatures(r.Kernel, x)
}

// fit is the model by sparse features; nil where K is the better way, or something is wrong that is
// told there.
func (r featureRegression) fit(ctx context.Context, x data.Points[any], y []float64) (*Regressor[any], error) {
	if x == nil || x.Len() < fitting.SparseFrom || !r.can(x) {
		return nil, nil
	}
	start := time.Now()
	if fitting.CheckTargets(x, y) != nil || kernel.Check(r.Kernel, x) != nil {
		return nil, nil
	}
	f, err := fitting.SparseFeaturesOf(ctx, r.Kernel, x, r.Resources)
	if f == nil || err != nil {
		return nil, err
	}
	m, _, err := r.fitRows(ctx, f, y, r.Weights, nil, start)
	if m != nil && !m.machine.converged && x.Len() <= pairsUpTo {
		return nil, nil
	}
	return m, err
}

// fitRows fits to features, from the coefficients of another price where there are any.
func (r featureRegression) fitRows(ctx context.Context, f *fitting.SparseFeatures, y, weights, from []float64, start time.Time) (*Regressor[any], []float64, error) {
	if r.C == 0 {
		r.C = 1
	}
	if r.Epsilon == 0 && !r.NoTube {
		r.Epsilon = 0.1
	}
	o, err := r.Options.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	c, err := fitting.Prices(r.C, len(y), weights)
	if err != nil {
		return nil, nil, err
	}
	p := featureProblem{svmProblem: epsilonSVR(y, c, r.Epsilon)}
	if from != nil {
		p.start = nearest(p.qp, from, p.start)
	}
	by := &featureMachines{f, o}
	s, err := by.solve(ctx, by.rows(nil), p, o.Trace)
	if err != nil {
		return nil, nil, err
	}
	support := []int{}
	for i, b := range s.coef {
		if b != 0 {
			support = append(support, i)
		}
	}
	s.coef = nil
	report := svmReport("epsilon-SVR", []*machine{s.machine}, nil, start)
	report.Notes = append(report.Notes, f.Note())
	of := learn.NewExpansionRegressor(f.Func([][]float64{s.w}, []float64{s.bias}), support, report)
	return &Regressor[any]{*of, s.machine}, s.beta, ctx.Err()
}
