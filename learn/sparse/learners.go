package sparse

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of the sparse vector machines in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "rvm", Summary: "relevance vector machine: very few points, chosen by evidence",
		Values: true, Classes: true,
		Params: func(task data.Task) []learn.Param {
			if task == data.Regression {
				return []learn.Param{interceptParam, {Name: "noise", Domain: fitting.NonNegative,
					Summary: "variance of the noise where it is known; 0: found by evidence"}}
			}
			return []learn.Param{interceptParam}
		},
		Fit:   fitRVM,
		Saved: map[string]learn.Restorer[any]{"rvm": restoreRVM, "rvm-classifier": restoreRVMClassifier},
	}, {
		Name: "l1vm", Summary: "L1 vector machine: an ℓ1 penalty on the coefficients of kernel functions",
		Values: true, Classes: true,
		// an error squared against a coefficient: λ has the unit of the target
		Params: lambda(learn.LogSpace(1e-2, 10, 4), true, 1),
		Fit:    fitPath(l1Path), Cells: judgePath(l1Path), Shares: withIntercept, Path: true,
		Saved: map[string]learn.Restorer[any]{"l1vm": learn.RestoreRegressor[any],
			"l1vm-classifier": learn.RestoreLogOdds[any]},
	}, {
		Name: "l2vm", Summary: "L2 vector machine: an ℓ2 penalty on the coefficients of kernel functions",
		Values: true, Classes: true,
		Params: lambda(learn.LogSpace(1e-3, 10, 5), false, 2),
		Fit:    fitPath(l2Path), Cells: judgePath(l2Path), Shares: withIntercept, Path: true,
		Saved: map[string]learn.Restorer[any]{"l2vm": learn.RestoreRegressor[any],
			"l2vm-classifier": learn.RestoreLogOdds[any]},
	}}
}

func lambda(grid []float64, perDeviation bool, perKernel float64) func(data.Task) []learn.Param {
	return func(data.Task) []learn.Param {
		return []learn.Param{{Name: "lambda", Default: 1, Domain: fitting.Positive,
			Summary: "weight of the penalty on the coefficients", Grid: grid, PerDeviation: perDeviation, PerKernel: perKernel},
			interceptParam}
	}
}

var interceptParam = fitting.Choice("intercept", "no: kernel functions alone, without a constant", "yes", "no")

// withIntercept is a Shares for the path along λ of machines that have one.
func withIntercept(c *learn.Cells) bool {
	for _, s := range c.Params {
		if s["intercept"] != 0 {
			return false
		}
	}
	return true
}

// fitPath fits the one machine of a path of one λ.
func fitPath(fit pathFit) func(context.Context, learn.Settings, learn.Problem[any]) (learn.Model[any], error) {
	return func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		return only(fit(ctx, s.Kernel, p, []float64{s.Params["lambda"]},
			Options{NoIntercept: s.Asks("intercept"), Resources: s.Resources}))
	}
}

func fitRVM(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	if p.Task == data.Regression {
		return fitting.Fitted(RVM[any]{Kernel: s.Kernel, NoIntercept: s.Asks("intercept"), Noise: s.Params["noise"],
			Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Y))
	}
	return fitting.Fitted(RVMClassification[any, int]{Kernel: s.Kernel, NoIntercept: s.Asks("intercept"),
		Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
}
