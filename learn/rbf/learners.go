package rbf

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of radial basis function networks in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	return []learn.Learner[T]{{
		Name: "rbf", Summary: "radial basis function network: √n centres by orthogonal least squares",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Default: 1e-3, Domain: learn.Positive, Summary: "weight of the penalty on the coefficients", Grid: learn.LogSpace(1e-6, 1, 4), PerKernel: 2}}
		},
		Fit:   fitSettings[T],
		Saved: map[string]learn.Restorer[T]{"rbf-network": learn.RestoreRegressor[T], "rbf-classifier": learn.RestoreLogOdds[T]},
	}}
}

func fitSettings[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	o := Options{Lambda: s.Params["lambda"], Choice: OrthogonalLeastSquares, Resources: s.Resources}
	if p.Task == data.Regression {
		return learn.Fitted[T](Network[T]{Kernel: s.Kernel, Weights: p.Weights, Options: o}.Fit(ctx, p.Points, p.Y))
	}
	return learn.Fitted[T](Classification[T, int]{Kernel: s.Kernel, Weights: p.Weights, Options: o}.Fit(ctx, p.Points, p.Codes()))
}
