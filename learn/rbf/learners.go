package rbf

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of radial basis function networks in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "rbf", Summary: "radial basis function network: a linear or logistic model on kernel values at few centres",
		Values: true, Classes: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Default: 1e-3, Domain: fitting.Positive,
				Summary: "weight of the penalty on the coefficients", Grid: learn.LogSpace(1e-6, 1, 4), PerKernel: 2},
				fitting.Choice("centres", "rows that explain most one after another, means of k-means, or rows drawn at random",
					"ols", "kmeans", "random"),
				{Name: "count", Domain: fitting.Count, Summary: "number of centres; 0: √n, at least 10"},
				{Name: "unexplained", Domain: fitting.Share,
					Summary: "ols: enough centres once this part of the target's energy is left; 0: all of count"},
				fitting.Choice("basis", "normalised: kernel values at a point are divided by their sum", "plain", "normalised"),
				fitting.Choice("intercept", "no: without a constant", "yes", "no"),
				{Name: "seed", Domain: fitting.Count, Summary: "of k-means and of the draw"}}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitSettings(ctx, s, p, nil)
		},
		At: learnerAt,
		Saved: map[string]learn.Restorer[any]{"rbf-network": learn.RestoreRegressor[any],
			"rbf-classifier":         learn.RestoreLogOdds[any],
			"normalised-rbf-network": learn.RestoreRatio[any], "normalised-rbf-classifier": learn.RestoreRatioClassifier[any]},
	}}
}

// learnerAt is the entry of the networks whose centres are given.
func learnerAt(centers data.Points[any]) learn.Learner {
	l := Learners()[0]
	l.At = nil
	l.Options = "centres given"
	for i := range centers.Len() {
		l.Options += fmt.Sprint(" ", centers.At(i))
	}
	params := l.Params
	l.Params = func(task data.Task) []learn.Param { // how centres are chosen has no say
		return slices.DeleteFunc(params(task), func(p learn.Param) bool {
			return p.Name == "centres" || p.Name == "count" || p.Name == "unexplained" || p.Name == "seed"
		})
	}
	l.Fit = func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		return fitSettings(ctx, s, p, centers)
	}
	return l
}

func fitSettings(
	ctx context.Context, s learn.Settings, p learn.Problem[any], given data.Points[any],
) (learn.Model[any], error) {
	choice := []CenterChoice{OrthogonalLeastSquares, KMeansCenters, RandomCenters}[int(s.Params["centres"])]
	o := Options{Lambda: s.Params["lambda"], Choice: choice, Centers: min(int(s.Params["count"]), p.Len()),
		NoIntercept: s.Asks("intercept"), Seed: uint64(s.Params["seed"]), Resources: s.Resources}
	if choice == OrthogonalLeastSquares {
		o.Unexplained = s.Params["unexplained"]
	}
	network := Network[any]{Kernel: s.Kernel, Weights: p.FitWeights(), Given: given, Options: o}
	classes := Classification[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(), Given: given, Options: o}
	switch normalised := s.Asks("basis"); {
	case p.Task == data.Regression && normalised:
		return fitting.Fitted(Normalised[any]{network}.Fit(ctx, p.Points, p.Y))
	case p.Task == data.Regression:
		return fitting.Fitted(network.Fit(ctx, p.Points, p.Y))
	case normalised:
		return fitting.Fitted(NormalisedClassification[any, int]{classes}.Fit(ctx, p.Points, p.Codes()))
	}
	return fitting.Fitted(classes.Fit(ctx, p.Points, p.Codes()))
}
