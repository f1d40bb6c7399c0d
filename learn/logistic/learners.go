package logistic

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of logistic regression in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "logistic", Summary: "logistic regression: probabilities of classes by maximum likelihood",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Domain: fitting.NonNegative,
				Summary: "weight of the penalty ½‖f‖²; 0: 1, beside l1 none", Grid: learn.LogSpace(1e-3, 10, 5), PerKernel: 1},
				learn.Param{Name: "l1", Domain: fitting.NonNegative,
					Summary: "weight of the penalty Σ|αᵢ| on the coefficients: few rows are kept; with a lambda both hold"}.With("lambda"),
				fitting.Choice("loss", "mean: lambda and l1 stand for n times them, since the loss is averaged", "sum", "mean"),
				fitting.Choice("intercept", "no: f alone, without a constant", "yes", "no")}
		},
		Fit:   fitSettings,
		Cells: judgeCells,
		Shares: func(c *learn.Cells) bool {
			return plain(c.Params) && (cellsByFeatures(c) || 16*int64(c.Problem.Len())*int64(c.Problem.Len()) <= c.Bytes)
		},
		// Some tens of factorisations for each fold are worth their n³ up to these rows.
		Auto:  learn.Auto{Rows: func(data.Task) int { return 700 }},
		Saved: map[string]learn.Restorer[any]{"logistic": restoreClassifier[any]},
	}, {
		Name: "ordinal", Summary: "grades in an order: one function, cut into them by thresholds (proportional odds)",
		Classes: true, AnyOrigin: true, ByFunc: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Domain: fitting.NonNegative, Summary: "weight of the penalty ½‖f‖²; 0: 1",
				Grid: learn.LogSpace(1e-3, 10, 5), PerKernel: 1},
				fitting.Choice("loss", "mean: lambda stands for n times it, since the loss is averaged", "sum", "mean")}
		},
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Ordinal[any, int]{Kernel: s.Kernel, Lambda: s.Params["lambda"], PerPoint: s.Asks("loss"),
				Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"ordinal": restoreOrdinal[any]},
	}}
}

// plain says that no setting asks for another problem than that of λ.
func plain(settings []map[string]float64) bool {
	for _, s := range settings {
		if s["l1"] != 0 || s["loss"] != 0 || s["intercept"] != 0 {
			return false
		}
	}
	return true
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	intercept := !s.NoIntercept && !s.Asks("intercept")
	if l1 := s.Params["l1"]; l1 > 0 {
		return fitting.Fitted(L1[any, int]{Kernel: s.Kernel, Lambda: l1, Ridge: s.Params["lambda"], PerPoint: s.Asks("loss"),
			Intercept: intercept, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
	}
	r := Regression[any, int]{Kernel: s.Kernel, Lambda: s.Params["lambda"], PerPoint: s.Asks("loss"), Intercept: intercept,
		Weights: p.FitWeights(), Resources: s.Resources}
	if m, err := fitFeatures(ctx, r, p); m != nil || err != nil {
		return fitting.Fitted(m, err)
	}
	return fitting.Fitted(r.Fit(ctx, p.Points, p.Codes()))
}
