package features

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of learners on random features in the table of learners.
func Learners() []learn.Learner {
	entry := func(name, summary string, values bool, squares bool, param learn.Param,
		fit func(context.Context, learn.Settings, learn.Problem[any]) (learn.Model[any], error),
		saved map[string]learn.Restorer[any]) learn.Learner {
		return learn.Learner{
			Name: name, Summary: summary, Values: values, Classes: true,
			Params: func(data.Task) []learn.Param { return []learn.Param{param, frequenciesParam} },
			Fit:    fit, Cells: fitting.FoldByFold(fit), Shares: fitting.Always,
			Bytes: func(_ data.Task, n int) int64 { return bytesFor(fewFrequencies(n), 1, squares) },
			Saved: saved,
		}
	}
	ridge := func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		if p.Task == data.Regression {
			return fitting.Fitted(Regression[any]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept,
				Weights: p.FitWeights(), Options: optionsOf(s)}.Fit(ctx, p.Points, p.Y))
		}
		return fitting.Fitted(classification(s, p, Squares, s.Params["lambda"]).Fit(ctx, p.Points, p.Codes()))
	}
	lambda := learn.Param{Name: "lambda", Default: 1, Domain: fitting.Positive, Summary: "weight of the penalty ½‖v‖²",
		Grid: learn.LogSpace(1e-4, 10, 6), PerKernel: 1}
	c := learn.Param{Name: "C", Default: 1, Domain: fitting.Positive,
		Summary: "price of a point on the wrong side of its margin", Grid: learn.LogSpace(0.1, 100, 4), PerKernel: -1}
	return []learn.Learner{
		entry("features", "ridge regression on random Fourier features, in one pass over the rows", true, true, lambda, ridge,
			map[string]learn.Restorer[any]{"features": restoreRegressor, "features-classifier": learn.RestoreClassifier[any]}),
		entry("features-logistic", "logistic regression on random Fourier features, a stochastic step for each row", false,
			false, lambda,
			func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
				return fitting.Fitted(Logistic[any, int]{classification(s, p, Squares, s.Params["lambda"])}.Fit(ctx, p.Points,
					p.Codes()))
			}, map[string]learn.Restorer[any]{"features-logistic": learn.RestoreLogOdds[any]}),
		entry("features-svm", "support vector machine on random Fourier features, a stochastic step for each row", false,
			false, c,
			func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
				return fitting.Fitted(classification(s, p, Hinge, 1/s.Params["C"]).Fit(ctx, p.Points, p.Codes()))
			}, map[string]learn.Restorer[any]{"features-svm": learn.RestoreClassifier[any]}),
	}
}

var frequenciesParam = learn.Param{Name: "frequencies", Domain: fitting.NonNegative,
	Summary: "frequencies drawn, two features each; 0: ½√n·log n, 100 to 1000"}

func optionsOf(s learn.Settings) Options {
	return Options{Frequencies: int(s.Params["frequencies"]), Orthogonal: true, Resources: s.Resources}
}

func classification(s learn.Settings, p learn.Problem[any], loss Loss, lambda float64) Classification[any, int] {
	return Classification[any, int]{Kernel: s.Kernel, Loss: loss, Lambda: lambda, Intercept: !s.NoIntercept,
		Weights: p.FitWeights(), Options: optionsOf(s)}
}

func restoreRegressor(s learn.Saved[any]) (learn.Model[any], error) {
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	return &Regressor[any]{*m}, nil
}
