package neighbours

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of nearest neighbours, medoids and means in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "knn", Summary: "nearest neighbours in feature space",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "k", Default: 5, Domain: kernel.Domain{Low: 1, High: math.Inf(1)},
				Summary: "number of neighbours", Grid: []float64{1, 3, 5, 9, 15, 25}, Linear: true},
				fitting.Choice("votes", "what a neighbour counts: the same, or by its distance", "equal", "distance")}
		},
		Fit:       fitSettings,
		AnyOrigin: true,
		Saved:     map[string]learn.Restorer[any]{"knn": restoreClassifier[any], "knn-regression": restoreRegressor[any]},
	}, {
		Name: "nw", Summary: "kernel regression (Nadaraya, Watson): the mean of all rows, each by its kernel value",
		Values: true, Classes: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			if p.Task == data.Regression {
				return fitting.Fitted(KernelMean[any]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx,
					p.Points, p.Y))
			}
			return fitting.Fitted(KernelMeanClassification[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(),
				Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"nw": learn.RestoreRatio[any],
			"nw-classifier": learn.RestoreRatioClassifier[any]},
	}, {
		Name: "local", Summary: "locally weighted regression: at every point a line, or a parabola, through the rows near it",
		Values: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{fitting.Choice("degree", "of the polynomial at a point; constant is nw", "linear", "constant",
				"quadratic")}
		},
		Fit:   fitLocal,
		Saved: map[string]learn.Restorer[any]{"local": restoreLocal},
	}, {
		Name: "medoid", Summary: "the class of the nearest medoid: one point stands for each class",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Medoid[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx,
				p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"nearest-medoid": learn.RestoreClassifier[any]},
	}, {
		Name: "centroid", Summary: "the class whose mean in feature space is nearest (Parzen windows)",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Centroid[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx,
				p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"nearest-centroid": learn.RestoreClassifier[any]},
	}}
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	o := Options{K: min(int(math.Round(s.Params["k"])), p.Len()), Weighted: s.Asks("votes"), Resources: s.Resources}
	if p.Task == data.Regression {
		return fitting.Fitted(Regression[any]{Kernel: s.Kernel, Weights: p.FitWeights(), Options: o}.Fit(ctx, p.Points, p.Y))
	}
	return fitting.Fitted(Classification[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Options: o}.Fit(ctx,
		p.Points,
		p.Codes()))
}
