package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// sparseLearner is the entry of processes by few inducing points.
func sparseLearner() learn.Learner {
	return learn.Learner{
		Name: "sgpr",
		Summary: "Gaussian process by few inducing points, for many rows: parameters and points by a bound on the " +
			"marginal likelihood",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "inducing", Domain: fitting.NonNegative,
				Summary: "points that the process is known by; 0: 2√n, at least 50"}}
		},
		Fit:     fitSparse,
		Cells:   fitting.FoldByFold(fitSparse),
		Shares:  fitting.Always,
		Bytes:   func(_ data.Task, n int) int64 { return sparseBytes(fewInducing(n), 0) },
		LastFit: func(bool) float64 { return 1 },
		Saved:   map[string]learn.Restorer[any]{"sgpr": restoreSparse, "svgp-classifier": restoreSparseClassifier},
	}
}

// fitSparse fits a process with a factor that reaches any variance; the inducing points move where
// they can.
func fitSparse(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	k := withVariance(s.Kernel, p.Deviation()*p.Deviation())
	held := HyperOptions{Hold: heldIn(k, s)}
	o := InducingOptions{Inducing: int(s.Params["inducing"])}
	if _, err := vectors(k, p.Points); err == nil {
		o.MoveInducing = true
	}
	if p.Task == data.Regression {
		return fitting.Fitted(SparseRegression[any]{Kernel: k, FitMean: true, HyperOptions: held, Weights: relative(s, p),
			InducingOptions: o, Resources: s.Resources}.Fit(ctx, p.Points, p.Y))
	}
	return fitting.Fitted(SparseClassification[any, int]{Kernel: k, HyperOptions: held, Weights: p.FitWeights(),
		InducingOptions: o, Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
}
