package logistic

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of logistic regression in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	return []learn.Learner[T]{{
		Name: "logistic", Summary: "logistic regression: probabilities of classes by maximum likelihood",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Default: 1, Domain: learn.Positive, Summary: "weight of the penalty ½‖f‖²", Grid: learn.LogSpace(1e-3, 10, 5), PerKernel: 1}}
		},
		Fit: func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
			return learn.Fitted[T](Regression[T, int]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept, Weights: p.Weights, Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Cells: judgeCells[T],
		// Some tens of factorisations for each fold are worth their n³ up to these rows.
		Auto:  learn.Auto{Rows: func(data.Task) int { return 700 }},
		Saved: map[string]learn.Restorer[T]{"logistic": restoreClassifier[T]},
	}}
}
