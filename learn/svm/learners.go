package svm

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of support vector machines in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	return []learn.Learner[T]{{
		Name: "svm", Summary: "support vector machine: few points decide, at a price C for a margin error",
		Values: true, Classes: true,
		Params:    params,
		Fit:       fitSettings[T],
		AnyOrigin: true, ByFunc: true,
		Cells: judgeCells[T], Path: true,
		Bytes: sharedBytes,
		LastFit: func(proba bool) float64 {
			if proba {
				return 1 // the sigmoid takes five folds of its own
			}
			return 0.5
		},
		Auto: learn.Auto{Rows: func(data.Task) int { return math.MaxInt / 2 }, Kernels: []string{"gaussian", "laplace", "linear"}},
		Saved: map[string]learn.Restorer[T]{
			"svc": restoreClassifier[T], "svr": restoreRegressor[T], "one-class": restoreOneClass[T], linearName: learn.RestoreLinear[T],
		},
	}}
}

// sharedBytes is a Gram matrix in single precision and, for the machine of all rows and those of five folds, a copy of it for the variables that can still
// move: at the worst all of them, which are two for each point of a regression.
func sharedBytes(task data.Task, n int) int64 {
	if task == data.Regression {
		return 70 * int64(n) * int64(n)
	}
	return 24 * int64(n) * int64(n)
}

func params(task data.Task) []learn.Param {
	// The values of the linear kernel grow with the dimension, and so does the time at a high price.
	c := learn.Param{Name: "C", Default: 1, Domain: learn.Positive, Summary: "price of a margin error",
		Grid: learn.LogSpace(1.0/8, 1024, 8), LinearGrid: learn.LogSpace(1.0/256, 1, 5), PerDeviation: true, PerKernel: -1}
	if task != data.Regression {
		return []learn.Param{c}
	}
	return []learn.Param{c, {Name: "epsilon", Default: 0.1, Domain: learn.NonNegative, Summary: "half width of the tube in which errors are free",
		Grid: []float64{0.01, 0.1}, PerDeviation: true}}
}

func fitSettings[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	o := Options{Tol: s.Tol, Resources: s.Resources}
	if p.Task == data.Regression {
		epsilon := s.Params["epsilon"]
		return learn.Fitted[T](Regression[T]{Kernel: s.Kernel, C: s.Params["C"], Epsilon: epsilon, NoTube: epsilon == 0, Weights: p.Weights, Options: o}.Fit(ctx, p.Points, p.Y))
	}
	return learn.Fitted[T](Classification[T, int]{Kernel: s.Kernel, C: s.Params["C"], Weights: p.Weights, Probability: s.Proba, Options: o}.Fit(ctx, p.Points, p.Codes()))
}
