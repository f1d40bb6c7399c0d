package svm

import (
	"context"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// byFeatures is the model by sparse features; nil where K is the better way, or something is wrong
// that is told there.
func (r regression) byFeatures(ctx context.Context, x data.Points[any], y []float64) (*Regressor[any], error) {
	begin := time.Now()
	if x == nil || x.Len() < fitting.SparseFrom || r.nu > 0 || r.start != nil || !r.plain() ||
		!fitting.HasSparseFeatures(r.kernel, x) {
		return nil, nil
	}
	_, p, o, err := r.programme(x, y)
	if err != nil {
		return nil, nil
	}
	f, err := fitting.SparseFeaturesOf(ctx, r.kernel, x, r.Resources)
	if f == nil || err != nil {
		return nil, err
	}
	m, _, err := tubeByFeatures(ctx, f, p, o, begin)
	if m != nil && !m.machine.converged && x.Len() <= pairsUpTo {
		return nil, nil
	}
	return m, err
}

// tubeByFeatures solves the programme of a regression on features, and returns the coefficients that
// it ends with, too.
func tubeByFeatures(
	ctx context.Context, f *fitting.SparseFeatures, p svmProblem, o Options, begin time.Time,
) (*Regressor[any], []float64, error) {
	by := &featureMachines{f, o}
	s, err := by.solve(ctx, by.rows(nil), featureProblem{svmProblem: p}, o.Trace)
	if err != nil {
		return nil, nil, err
	}
	support := []int{}
	for i, b := range s.coef {
		if b != 0 {
			support = append(support, i)
		}
	}
	report := svmReport("epsilon-SVR", []*machine{s.machine}, nil, begin)
	report.Notes = append(report.Notes, f.Note())
	of := learn.NewExpansionRegressor(f.Func([][]float64{s.w}, []float64{s.bias}), support, report)
	return &Regressor[any]{*of, s.machine}, s.beta, ctx.Err()
}

// tubeOnFeatures is onFeatures of a regression.
func tubeOnFeatures(ctx context.Context, m *Regressor[any], r learn.Resources) (*Regressor[any], error) {
	f, note, err := fitting.ByFeatures(ctx, m.Func(), r)
	if f == nil || err != nil {
		return m, err
	}
	report := m.Report()
	report.Notes = append(slices.Clone(report.Notes), note)
	return &Regressor[any]{*learn.NewExpansionRegressor(f, m.Support(), report), m.machine}, nil
}
