package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
)

// sparseLearner is the entry of processes by few inducing points.
func sparseLearner[T any]() learn.Learner[T] {
	return learn.Learner[T]{
		Name: "sgpr", Summary: "Gaussian process by few inducing points, for many rows: parameters and points by a bound on the marginal likelihood",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "inducing", Domain: learn.NonNegative, Summary: "points that the process is known by; 0: 2√n, at least 50"}}
		},
		Fit:     fitSparse[T],
		Cells:   fitting.FoldByFold(fitSparse[T]),
		Shares:  learn.Always[T],
		Bytes:   func(_ data.Task, n int) int64 { return sparseBytes(fewInducing(n), 0) },
		LastFit: func(bool) float64 { return 1 },
		Saved:   map[string]learn.Restorer[T]{"sgpr": restoreSparse[T], "svgp-classifier": restoreSparseClassifier[T]},
	}
}

// fitSparse fits a process with a factor that reaches any variance; the inducing points move where they can.
func fitSparse[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	k := withVariance(s.Kernel, p.Deviation()*p.Deviation())
	o := InducingOptions{Inducing: int(s.Params["inducing"])}
	if _, err := vectors(k, p.Points); err == nil {
		o.MoveInducing = true
	}
	if p.Task == data.Regression {
		return learn.Fitted[T](SparseRegression[T]{Kernel: k, FitMean: true, Weights: p.FitWeights(), InducingOptions: o, Resources: s.Resources}.Fit(ctx, p.Points, p.Y))
	}
	return learn.Fitted[T](SparseClassification[T, int]{Kernel: k, Weights: p.FitWeights(), InducingOptions: o, Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
}
