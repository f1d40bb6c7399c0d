package logistic

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Logistic regression with a kernel that is a sum over sparse features, K = ΦΦᵀ, takes its steps by
// products with Φ, and keeps the weights Φᵀα of the features in place of the points. The problem, its
// minimum and the certificate are those of K.

// fitFeatures is the model by sparse features; nil where there are none, few points, or steps do not
// get there: K then does, or says what is wrong.
func fitFeatures(ctx context.Context, r Regression[any, int], p learn.Problem[any]) (*Classifier[any, int], error) {
	if p.Points == nil || p.Len() < fitting.SparseFrom || r.Device != nil ||
		!fitting.HasSparseFeatures(r.Kernel, p.Points) {
		return nil, nil
	}
	if _, _, err := fitting.CheckClassification(r.Kernel, p.Points, p.Codes(), r.Balance, nil, r.Weights); err != nil {
		return nil, nil
	}
	f, err := fitting.SparseFeaturesOf(ctx, r.Kernel, p.Points, r.Resources)
	if f == nil || err != nil {
		return nil, err
	}
	return r.onFeatures(ctx, f, p.Codes())
}

// onFeatures is the model of rows of features.
func (c Regression[T, L]) onFeatures(
	ctx context.Context, f *fitting.SparseFeatures, codes []int,
) (*Classifier[any, int], error) {
	r := Regression[any, int]{
		Kernel: f.Kernel(), Lambda: c.Lambda, PerPoint: c.PerPoint, Intercept: c.Intercept,
		Balance: c.Balance, Weights: c.Weights,
		Method: Truncated, Tol: c.Tol, MaxIterations: c.MaxIterations, Resources: c.Resources,
	}
	r.TrustKernel = true // a sum over features is positive semi-definite
	m, err := r.Fit(ctx, f.Points(), codes)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || !m.Report().Converged {
		return nil, nil
	}
	of, report := m.Func(), m.Report()
	report.Notes = append(report.Notes, f.Note())
	return newClassifier(f.Func(f.Weights(r.Threads, linalg.Of(of.Coef)), of.Bias), m.Classes(), true, report), nil
}

// judgeFeatures judges the cells of a search on rows of features that are mapped once for all folds;
// it says whether there were features to go by.
func judgeFeatures(ctx context.Context, c *learn.Cells) (bool, error) {
	held := learn.Resources{Threads: c.Threads, Bytes: c.Bytes}
	f, err := fitting.SparseFeaturesOf(ctx, c.Kernel, c.Problem.Points, held)
	if f == nil || err != nil {
		return false, err
	}
	p := c.Problem
	p.Points = f.Points()
	return true, c.OverFolds(len(c.Folds), func(fold int) error {
		train, rows := c.Problem.Gather(c.Folds[fold].Train), f.At(c.Folds[fold].Train)
		for _, i := range c.Order("lambda") {
			if !c.Alive(i, fold) {
				continue
			}
			r := Regression[any, int]{
				Kernel: f.Kernel(), Lambda: c.Params[i]["lambda"], Intercept: !c.NoIntercept, Weights: train.FitWeights(),
				Method: Truncated, Tol: cellTol, Resources: learn.Resources{Threads: 1, Bytes: c.Bytes, TrustKernel: true},
			}
			m, err := r.Fit(ctx, rows.Points(), train.Codes())
			if err != nil {
				return err
			}
			of := m.Func()
			weights := rows.Weights(1, linalg.Of(of.Coef))
			byWeights := newClassifier(rows.Func(weights, of.Bias), m.Classes(), true, m.Report())
			if err := c.JudgeModel(ctx, i, fold, byWeights, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// cellsByFeatures says whether the cells of a search go by sparse features.
func cellsByFeatures(c *learn.Cells) bool {
	return c.Problem.Len() >= fitting.SparseFrom && c.Device == nil &&
		fitting.HasSparseFeatures(c.Kernel, c.Problem.Points)
}

// judgeEach fits each cell by itself, where there are too many features and the matrix does not fit
// into memory.
func judgeEach(ctx context.Context, c *learn.Cells) error {
	for i := range c.Params {
		for fold := range c.Folds {
			if !c.Alive(i, fold) {
				continue
			}
			m, err := fitSettings(ctx, c.Settings(i, c.Kernel, c.Threads), c.Problem.Gather(c.Folds[fold].Train))
			if err != nil {
				return err
			}
			if err := c.JudgeModel(ctx, i, fold, m, c.Problem); err != nil {
				return err
			}
		}
	}
	return nil
}
