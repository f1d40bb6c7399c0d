package fisher

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of the discriminant in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "fisher", Summary: "Fisher's discriminant in feature space",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "mu", Default: 1e-3, Domain: fitting.Positive,
				Summary: "regulariser, as a share of the variance of the features", Grid: learn.LogSpace(1e-5, 1e-1, 5)}}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Discriminant[any, int]{Kernel: s.Kernel, Share: s.Params["mu"], Weights: p.FitWeights(),
				Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"fisher": learn.RestoreClassifier[any]},
	}}
}
