package neighbours

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of nearest neighbours, medoids and means in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	return []learn.Learner[T]{{
		Name: "knn", Summary: "nearest neighbours in feature space",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "k", Default: 5, Domain: kernel.Domain{Low: 1, High: math.Inf(1)}, Summary: "number of neighbours", Grid: []float64{1, 3, 5, 9, 15, 25}, Linear: true},
				learn.Choice("votes", "what a neighbour counts: the same, or by its distance", "equal", "distance")}
		},
		Fit:       fitSettings[T],
		AnyOrigin: true,
		Saved:     map[string]learn.Restorer[T]{"knn": restoreClassifier[T], "knn-regression": restoreRegressor[T]},
	}, {
		Name: "nw", Summary: "kernel regression (Nadaraya, Watson): the mean of all rows, each by its kernel value",
		Values: true, Classes: true,
		Fit: func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
			if p.Task == data.Regression {
				return learn.Fitted[T](KernelMean[T]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Y))
			}
			return learn.Fitted[T](KernelMeanClassification[T, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[T]{"nw": learn.RestoreRatio[T], "nw-classifier": learn.RestoreRatioClassifier[T]},
	}, {
		Name: "local", Summary: "locally weighted regression: at every point a line, or a parabola, through the rows near it",
		Values: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{learn.Choice("degree", "of the polynomial at a point; constant is nw", "linear", "constant", "quadratic")}
		},
		Fit:   fitLocal[T],
		Saved: map[string]learn.Restorer[T]{"local": restoreLocal[T]},
	}, {
		Name: "medoid", Summary: "the class of the nearest medoid: one point stands for each class",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Fit: func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
			return learn.Fitted[T](Medoid[T, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[T]{"nearest-medoid": learn.RestoreClassifier[T]},
	}, {
		Name: "centroid", Summary: "the class whose mean in feature space is nearest (Parzen windows)",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Fit: func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
			return learn.Fitted[T](Centroid[T, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[T]{"nearest-centroid": learn.RestoreClassifier[T]},
	}}
}

func fitSettings[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	o := Options{K: min(int(math.Round(s.Params["k"])), p.Len()), Weighted: s.Asks("votes"), Resources: s.Resources}
	if p.Task == data.Regression {
		return learn.Fitted[T](Regression[T]{Kernel: s.Kernel, Weights: p.FitWeights(), Options: o}.Fit(ctx, p.Points, p.Y))
	}
	return learn.Fitted[T](Classification[T, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Options: o}.Fit(ctx, p.Points, p.Codes()))
}
