package svm

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// linearPoints is what a linear machine of a kernel is fitted to: vectors as they are, other points
// by the sparse features of the kernel, which space then has the names of.
func linearPoints(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], r learn.Resources,
) (data.Points[any], *kernel.FeatureSpace, error) {
	_, dense := data.VectorsOf(x)
	_, sparse := data.SparseOfPoints(x)
	if x.Len() == 0 || dense || sparse || k == nil || !kernel.HasSparseMap(k) {
		return x, nil, nil
	}
	if err := kernel.Check(k, x); err != nil {
		return nil, nil, err
	}
	held, err := r.WithDefaults()
	if err != nil {
		return nil, nil, err
	}
	const entry = 40 // bytes, with the blocks that rows are put together from
	space, rows, err := kernel.MapSparse(ctx, r.Threads, k, x, int(held.Bytes/entry))
	if err != nil {
		return nil, nil, fmt.Errorf("linear svc: %w", err)
	}
	return data.EraseSparse(rows), space, nil
}

func fitLinear(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, space, err := linearPoints(ctx, s.Kernel, p.Points, s.Resources)
	if err != nil {
		return nil, err
	}
	m, err := fitLinearTo(ctx, s, p, x, nil)
	if err != nil {
		return nil, err
	}
	m.alpha = nil
	if space != nil {
		m.In(space)
	}
	return m, nil
}

// fitLinearTo fits to vectors that stand for the points of a problem, and begins with the
// coefficients of another price.
func fitLinearTo(
	ctx context.Context, s learn.Settings, p learn.Problem[any], x data.Points[any], start [][]float64,
) (*LinearClassifier[any, int], error) {
	return LinearClassification[any, int]{start: start, C: s.Params["C"], Hinge: s.Asks("loss"),
		NoIntercept: s.Asks("bias"), Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, x, p.Codes())
}

// judgeLinear maps the points once for all folds and settings, and goes up along the prices, each
// fit beginning with the coefficients of the one before. What a feature is called does not
// depend on other points, and one that no fitted point has has no weight.
func judgeLinear(ctx context.Context, c *learn.Cells) error {
	p := c.Problem
	x, _, err := linearPoints(ctx, c.Kernel, p.Points, learn.Resources{Threads: c.Threads, Bytes: c.Bytes})
	if err != nil {
		return err
	}
	p.Points = x
	train := make([]learn.Problem[any], len(c.Folds))
	for f, fold := range c.Folds {
		train[f] = p.Gather(fold.Train)
	}
	alpha, loss := make([][][]float64, len(c.Folds)), 0.0
	for _, i := range c.Order("loss", "C") { // one after another: where the time ends, those before are judged
		if of := c.Params[i]["loss"]; of != loss {
			loss = of
			clear(alpha)
		}
		err := c.OverFolds(len(c.Folds), func(f int) error {
			if !c.Alive(i, f) {
				return nil
			}
			m, err := fitLinearTo(ctx, c.Settings(i, c.Kernel, 1), train[f], train[f].Points, alpha[f])
			if err != nil {
				return err
			}
			alpha[f] = m.alpha
			return c.JudgeModel(ctx, i, f, m, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
