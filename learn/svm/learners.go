package svm

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of support vector machines in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "svm", Summary: "support vector machine: few points decide, at a price C for a margin error",
		Values: true, Classes: true,
		Params:    params,
		Fit:       fitSettings,
		AnyOrigin: true, ByFunc: true,
		Cells: judgeCells, Path: true,
		Shares: func(c *learn.Cells) bool { // a path along C is of the plain machine
			return plain(c.Params) && (sharedBytes(c.Problem.Task, c.Problem.Len()) <= c.Bytes || cellsByFeatures(c))
		},
		Bytes: sharedBytes,
		LastFit: func(proba bool) float64 {
			if proba {
				return 1 // the sigmoid takes five folds of its own
			}
			return 0.5
		},
		Auto: learn.Auto{Rows: func(data.Task) int { return math.MaxInt / 2 },
			Kernels: []string{"gaussian", "laplace", "linear"}},
		Saved: map[string]learn.Restorer[any]{
			"svc": restoreClassifier[any], "svr": restoreRegressor[any], "one-class": restoreOneClass[any],
		},
	}, {
		Name:    "linear-svm",
		Summary: "support vector machine that keeps weights of columns: many rows, many mostly empty columns",
		Classes: true, OwnKernel: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "C", Default: 1, Domain: fitting.Positive, Summary: "price of a margin error",
				Grid: learn.LogSpace(1.0/256, 16, 7)},
				fitting.Choice("loss", "what a margin error costs: its square, or itself", "squared", "hinge"), biasParam}
		},
		Fit:   fitLinear,
		Cells: judgeLinear, Path: true, Shares: func(c *learn.Cells) bool { return !kernel.Learns(c.Kernel) },
		Saved: map[string]learn.Restorer[any]{linearName: fitting.RestoreLinear[any]},
	}}
}

// plain says that no setting asks for another machine than that of C and ε.
func plain(settings []map[string]float64) bool {
	for _, s := range settings {
		for name, v := range s {
			if v != 0 && name != "C" && name != "epsilon" {
				return false
			}
		}
	}
	return true
}

var biasParam = fitting.Choice("bias", "no: f alone, without a constant", "yes", "no")

// sharedBytes is a Gram matrix in single precision and, for the machine of all rows and those of
// five folds, a copy of it for the variables that can still move: at the worst all of them, which
// are two for each point of a regression.
func sharedBytes(task data.Task, n int) int64 {
	if task == data.Regression {
		return 70 * int64(n) * int64(n)
	}
	return 24 * int64(n) * int64(n)
}

func params(task data.Task) []learn.Param {
	// The values of the linear kernel grow with the dimension, and so does the time at a high
	// price.
	c := learn.Param{Name: "C", Default: 1, Domain: fitting.Positive, Summary: "price of a margin error",
		Grid: learn.LogSpace(1.0/8, 1024, 8), LinearGrid: learn.LogSpace(1.0/256, 1, 5), PerDeviation: true, PerKernel: -1}
	if task != data.Regression {
		return []learn.Param{c,
			learn.Param{Name: "nu", Domain: fitting.Share,
				Summary: "in place of C: the largest share of margin errors, in (0, 1]"}.InPlaceOf("C"),
			fitting.Choice("margin", "hard: no margin error at any price", "soft", "hard").InPlaceOf("C"),
			fitting.Choice("classes", "more than two are told apart by pairs, or each from the rest", "one-vs-one",
				"one-vs-rest"),
			fitting.Choice("form", "primal: squared hinge, by Newton's method", "dual", "primal"),
			{Name: "huber", Domain: fitting.Share,
				Summary: "primal: a hinge whose corner is rounded off by this much; 0: the squared hinge"},
			biasParam}
	}
	return []learn.Param{c, {Name: "epsilon", Default: 0.1, Domain: fitting.NonNegative,
		Summary: "half width of the tube in which errors are free",
		Grid:    []float64{0.01, 0.1}, PerDeviation: true},
		learn.Param{Name: "nu", Domain: fitting.Share,
			Summary: "in place of epsilon: the share of rows outside the tube, in (0, 1]"}.InPlaceOf("epsilon")}
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	o := Options{Tol: s.Tol, MaxIterations: s.MaxIterations, Resources: s.Resources}
	if p.Task == data.Regression {
		epsilon := s.Params["epsilon"]
		r := Regression[any]{Kernel: s.Kernel, C: s.Params["C"], Epsilon: epsilon, NoTube: epsilon == 0, Nu: s.Params["nu"],
			Weights: p.FitWeights(), Options: o}
		by := regression{kernel: r.Kernel, c: r.C, epsilon: r.Epsilon, noTube: r.NoTube, nu: r.Nu, weights: r.Weights,
			Options: o}
		if m, err := by.byFeatures(ctx, p.Points, p.Y); m != nil || err != nil {
			return fitting.Fitted(m, err)
		}
		m, err := r.Fit(ctx, p.Points, p.Y)
		if err != nil || !o.plain() || p.Len() < fitting.SparseFrom {
			return fitting.Fitted(m, err)
		}
		return fitting.Fitted(tubeOnFeatures(ctx, m, s.Resources))
	}
	c := Classification[any, int]{Kernel: s.Kernel, C: s.Params["C"], Nu: s.Params["nu"], Weights: p.FitWeights(),
		Probability: s.Proba, slopeOnly: p.ClassWeights != nil, NoBias: s.Asks("bias"), Options: o}
	if s.Asks("classes") {
		c.MultiClass = learn.OneVsRest
	}
	if s.Asks("margin") {
		c.C, c.Probability = math.Inf(1), false // it has no probabilities, and says so when it is asked for them
	}
	if s.Asks("form") {
		if c.Nu > 0 || s.Asks("margin") || c.NoBias {
			return nil, fmt.Errorf("svm: form=primal is of C, with a bias; leave nu, margin and bias out")
		}
		if s.Params["huber"] == 0 {
			if m, err := c.byFeatures(ctx, c.Kernel, p.Points, p.Codes(), true); m != nil || err != nil {
				return fitting.Fitted(m, err)
			}
		}
		o.Tol = 0 // of coefficients, not of decision values
		return fitting.Fitted(PrimalClassification[any, int]{Kernel: s.Kernel, C: c.C, Huber: s.Params["huber"],
			MultiClass: c.MultiClass, Weights: c.Weights, Options: o}.Fit(ctx, p.Points, p.Codes()))
	}
	if c.NoBias {
		c.Probability = false
	}
	if m, err := c.byFeatures(ctx, c.Kernel, p.Points, p.Codes(), false); m != nil || err != nil {
		return fitting.Fitted(m, err)
	}
	m, err := c.Fit(ctx, p.Points, p.Codes())
	if err != nil || !o.plain() || p.Len() < fitting.SparseFrom {
		return fitting.Fitted(m, err)
	}
	return fitting.Fitted(onFeatures(ctx, m, s.Resources))
}
