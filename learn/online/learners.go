package online

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of online learning in the table of learners.
func Learners[T any]() []learn.Learner[T] {
	return []learn.Learner[T]{{
		Name: "perceptron", Summary: "voted perceptron: one step for every mistake",
		Classes: true, ByFunc: true,
		Fit: func(ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
			rule := PerceptronOptions{Voted: true, Intercept: true, Passes: 10, Shuffle: true}
			return learn.Fitted[T](Perceptron[T, int]{Kernel: s.Kernel, Weights: p.Weights, PerceptronOptions: rule, Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[T]{"perceptron": learn.RestoreClassifier[T]},
	}, {
		Name: "norma", Summary: "online regularised risk minimisation: a step for every point",
		Values: true, Classes: true, ByFunc: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Default: 0.01, Domain: learn.Positive, Summary: "weight of the penalty", Grid: learn.LogSpace(1e-5, 1e-1, 5)}}
		},
		Fit:   fitNorma[T],
		Saved: map[string]learn.Restorer[T]{"norma": learn.RestoreRegressor[T], "norma-classifier": restoreNormaClassifier[T]},
	}}
}

func fitNorma[T any](ctx context.Context, s learn.Settings[T], p learn.Problem[T]) (learn.Model[T], error) {
	self := make([]float64, p.Len())
	kernel.Diag(ctx, s.Kernel, self, p.Points)
	n := Norma[T]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Loss: Squared, Intercept: true, Passes: 5, Shuffle: true, Weights: p.Weights, Resources: s.Resources}
	n.Eta = 1 / (n.Lambda + 1 + slices.Max(self)) // a step that does not overshoot
	if p.Task == data.Regression {
		return learn.Fitted[T](fitCentred(ctx, n, p))
	}
	n.Loss = LogisticLoss
	return learn.Fitted[T](NormaClassification[T, int]{Norma: n}.Fit(ctx, p.Points, p.Codes()))
}

// fitCentred learns the targets less their mean: a few passes that start at 0 would spend their steps on the way
// there, and how many that takes depends on where targets are counted from.
func fitCentred[T any](ctx context.Context, n Norma[T], p learn.Problem[T]) (*learn.ExpansionRegressor[T], error) {
	mean := 0.0
	for i, y := range p.Y {
		mean += (y - mean) / float64(i+1)
	}
	centred := make([]float64, len(p.Y))
	for i, y := range p.Y {
		centred[i] = y - mean
	}
	m, err := n.Fit(ctx, p.Points, centred)
	if err != nil {
		return nil, err
	}
	f := *m.Func()
	f.Bias = []float64{f.Bias[0] + mean}
	return learn.NewExpansionRegressor(&f, m.Support(), m.Report()), nil
}
