package representer

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Learners is the entry of the representer solver in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "representer", Summary: "any convex loss by the representer theorem, with a certificate",
		Values: true, Classes: true, AnyOrigin: true, ByFunc: true,
		Params: func(task data.Task) []learn.Param {
			lambda := learn.Param{Name: "lambda", Default: 1, Domain: fitting.Positive, Summary: "weight of the penalty ‖f‖²/2",
				Grid: learn.LogSpace(1e-3, 10, 5), PerKernel: 1}
			intercept := fitting.Choice("intercept", "no: f alone, without a constant", "yes", "no")
			if task == data.Regression {
				return []learn.Param{lambda, fitting.Choice("loss",
					"huber: outliers move it little; absolute: medians; squared: means", "huber", "absolute", "squared"),
					{Name: "delta", Default: 1, Domain: fitting.Positive,
						Summary: "huber: residuals beyond it count by their size, not their square", Grid: []float64{0.3},
						PerDeviation: true}, intercept}
			}
			return []learn.Param{lambda, fitting.Choice("loss",
				"of the margin: hinge² and logistic are smooth, the hinge is that of support vector machines", "squared-hinge",
				"hinge", "logistic"), intercept}
		},
		Fit: fitSettings,
		Saved: map[string]learn.Restorer[any]{"representer": learn.RestoreRegressor[any],
			"representer-classifier": learn.RestoreClassifier[any]},
	}}
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	o := Options{Lambda: s.Params["lambda"], NoIntercept: s.NoIntercept || s.Asks("intercept"), Resources: s.Resources}
	at := int(s.Params["loss"])
	if p.Task == data.Regression {
		loss := []rkhs.Loss{rkhs.HuberLoss{Delta: s.Params["delta"]}, rkhs.AbsoluteLoss{}, rkhs.SquaredLoss{}}[at]
		return fitting.Fitted(Regression[any]{Kernel: s.Kernel, Loss: loss, Weights: p.FitWeights(), Options: o}.Fit(ctx,
			p.Points, p.Y))
	}
	loss := []rkhs.Loss{rkhs.SquaredHingeLoss{}, rkhs.HingeLoss{}, rkhs.LogisticLoss{}}[at]
	return fitting.Fitted(Classification[any, int]{Kernel: s.Kernel, Loss: loss, Weights: p.FitWeights(),
		Options: o}.Fit(ctx, p.Points, p.Codes()))
}
