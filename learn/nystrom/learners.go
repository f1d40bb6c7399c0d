package nystrom

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of regression and classification on few centres in the table of
// learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "nystrom", Summary: "ridge regression on few centres, for many rows: time grows as their number",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param { return []learn.Param{lambdaParam, centresParam} },
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			r := Regression[any]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept,
				Weights: p.FitWeights(), Options: optionsOf(s)}
			if p.Task == data.Regression {
				return fitting.Fitted(r.Fit(ctx, p.Points, p.Y))
			}
			return fitting.Fitted(Classification[any, int]{Regression: r}.Fit(ctx, p.Points, p.Codes()))
		},
		Cells:  judgeCells,
		Shares: fitting.Always,
		Bytes:  func(_ data.Task, n int) int64 { return 4 * bytesFor(fewCenters(n), 1) },
		Saved:  map[string]learn.Restorer[any]{"nystrom": restoreRegressor, "nystrom-classifier": restoreClassifier},
	}, {
		Name: "nystrom-logistic", Summary: "logistic regression on few centres, for many rows: probabilities of classes",
		Classes: true,
		Params: func(data.Task) []learn.Param {
			lambda := lambdaParam
			lambda.Summary, lambda.Grid = "weight of the penalty ½‖f‖²", learn.LogSpace(1e-3, 10, 5)
			return []learn.Param{lambda, centresParam}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Logistic[any, int]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept,
				Weights: p.FitWeights(), Options: optionsOf(s)}.Fit(ctx, p.Points, p.Codes()))
		},
		// its model is one of package logistic
		Bytes: func(task data.Task, n int) int64 { return 2 * bytesFor(fewCenters(n), 8) },
	}, {
		Name: "snacks", Summary: "support vector machine on few centres, for many rows: stochastic steps with a duality gap",
		Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "C", Default: 1, Domain: fitting.Positive,
				Summary: "price of a point on the wrong side of its margin", Grid: learn.LogSpace(0.1, 100, 4), PerKernel: -1},
				centresParam}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			o := optionsOf(s)
			o.Tol = 0
			return fitting.Fitted(Snacks[any, int]{Kernel: s.Kernel, C: s.Params["C"], Intercept: !s.NoIntercept,
				Weights: p.FitWeights(), Options: o}.Fit(ctx, p.Points, p.Codes()))
		},
		Bytes: func(_ data.Task, n int) int64 { return 2 * bytesFor(fewCenters(n), 8) },
		Saved: map[string]learn.Restorer[any]{"snacks": learn.RestoreClassifier[any]},
	}}
}

var (
	lambdaParam = learn.Param{Name: "lambda", Default: 1, Domain: fitting.Positive, Summary: "weight of the penalty ‖f‖²",
		Grid: learn.LogSpace(1e-6, 100, 17), PerKernel: 1}
	centresParam = learn.Param{Name: "centres", Domain: fitting.NonNegative,
		Summary: "points that the function is made of; 0: 2√n, at least 50"}
)

// optionsOf takes a thousandth of the tolerance of a search, which is one of decision values: a
// residual of that size, relative to what it was at the beginning, leaves predictions that differ
// from the solution's, and the last digits take Newton's method few steps.
func optionsOf(s learn.Settings) Options {
	return Options{Centers: int(s.Params["centres"]), Tol: 1e-3 * s.Tol, Resources: s.Resources}
}

func restoreRegressor(s learn.Saved[any]) (learn.Model[any], error) {
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	return &Regressor[any]{ExpansionRegressor: *m}, nil
}

func restoreClassifier(s learn.Saved[any]) (learn.Model[any], error) {
	m, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	return learn.RestoreSlope(s, &Classifier[any, int]{ExpansionClassifier: *m})
}
