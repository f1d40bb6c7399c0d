package features

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
)

// Learners are the entries of learners on random features in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	entry := func(name, summary string, values bool, squares bool, param learn.Param, fit func(context.Context, learn.Settings[T], learn.Problem[T]) (learn.Model[T], error), saved map[string]learn.Restorer[T]) learn.Learner[T] {
		return learn.Learner[T]{
			Name: name, Summary: summary, Values: values, Classes: true,
			Params: func(data.Task) []learn.Param { return []learn.Param{param, frequenciesParam} },
			Fit:    fit, Cells: fitting.FoldByFold(fit), Shares: learn.Always[T],
			Bytes: func(_ data.Task, n int) int64 { return bytesFor(fewFrequencies(n), 1, squares) },
			Saved: saved,
		}
	}
	ridge := func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
		if p.Task == data.Regression {
			return learn.Fitted[T](Regression[T]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept, Weights: p.FitWeights(), Options: optionsOf(s)}.Fit(ctx, p.Points, p.Y))
		}
		return learn.Fitted[T](classification(s, p, Squares, s.Params["lambda"]).Fit(ctx, p.Points, p.Codes()))
	}
	lambda := learn.Param{Name: "lambda", Default: 1, Domain: learn.Positive, Summary: "weight of the penalty ½‖v‖²", Grid: learn.LogSpace(1e-4, 10, 6), PerKernel: 1}
	c := learn.Param{Name: "C", Default: 1, Domain: learn.Positive, Summary: "price of a point on the wrong side of its margin", Grid: learn.LogSpace(0.1, 100, 4), PerKernel: -1}
	return []learn.Learner[T]{
		entry("features", "ridge regression on random Fourier features, in one pass over the rows", true, true, lambda, ridge,
			map[string]learn.Restorer[T]{"features": restoreRegressor[T], "features-classifier": learn.RestoreClassifier[T]}),
		entry("features-logistic", "logistic regression on random Fourier features, a stochastic step for each row", false, false, lambda,
			func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
				return learn.Fitted[T](Logistic[T, int]{classification(s, p, Squares, s.Params["lambda"])}.Fit(ctx, p.Points, p.Codes()))
			}, map[string]learn.Restorer[T]{"features-logistic": learn.RestoreLogOdds[T]}),
		entry("features-svm", "support vector machine on random Fourier features, a stochastic step for each row", false, false, c,
			func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
				return learn.Fitted[T](classification(s, p, Hinge, 1/s.Params["C"]).Fit(ctx, p.Points, p.Codes()))
			}, map[string]learn.Restorer[T]{"features-svm": learn.RestoreClassifier[T]}),
	}
}

var frequenciesParam = learn.Param{Name: "frequencies", Domain: learn.NonNegative, Summary: "frequencies drawn, two features each; 0: ½√n·log n, 100 to 1000"}

func optionsOf[T any](s learn.Settings[T]) Options {
	return Options{Frequencies: int(s.Params["frequencies"]), Orthogonal: true, Resources: s.Resources}
}

func classification[T any](s learn.Settings[T], p learn.Problem[T], loss Loss, lambda float64) Classification[T, int] {
	return Classification[T, int]{Kernel: s.Kernel, Loss: loss, Lambda: lambda, Intercept: !s.NoIntercept, Weights: p.FitWeights(), Options: optionsOf(s)}
}

func restoreRegressor[T any](s learn.Saved[T]) (learn.Model[T], error) {
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	return &Regressor[T]{*m}, nil
}
