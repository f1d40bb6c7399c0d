package online

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of online learning in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "perceptron", Summary: "perceptron, voted or plain: one step for every mistake; its models go on learning",
		Classes: true, ByFunc: true,
		Params: perceptronParams,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(Perceptron[any, int]{Kernel: s.Kernel, Weights: p.FitWeights(), PerceptronOptions: ruleOf(s),
				Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{"perceptron": restorePerceptron[any]},
	}, {
		Name: "linear-perceptron", Summary: "perceptron that keeps weights of columns; its models go on learning",
		Classes: true, OwnKernel: true,
		Params: perceptronParams,
		Fit: func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
			return fitting.Fitted(LinearPerceptron[any, int]{Weights: p.FitWeights(), PerceptronOptions: ruleOf(s),
				Resources: s.Resources}.Fit(ctx, p.Points, p.Codes()))
		},
		Saved: map[string]learn.Restorer[any]{linearName: restoreLinearPerceptron[any]},
	}, {
		Name: "norma", Summary: "online regularised risk minimisation: a step for every row; its models go on learning",
		Values: true, Classes: true, ByFunc: true,
		Params: normaParams,
		Fit:    fitNorma,
		Saved:  map[string]learn.Restorer[any]{"norma": restoreNorma[any], "norma-classifier": restoreNormaClassifier[any]},
	}}
}

func perceptronParams(data.Task) []learn.Param {
	return []learn.Param{fitting.Choice("rule", "all functions on the way by their votes, or the last one", "voted",
		"plain"), passesParam(10), interceptParam, orderParam}
}

func passesParam(normally int) learn.Param {
	return learn.Param{Name: "passes", Domain: fitting.Count,
		Summary: fmt.Sprintf("times through the rows; 0: %d", normally)}
}

var (
	interceptParam = fitting.Choice("intercept", "no: f alone, without a constant", "yes", "no")
	orderParam     = fitting.Choice("order", "of the rows: another in every pass, or as they come", "shuffled", "given")
)

// ruleOf is the options of a perceptron.
func ruleOf(s learn.Settings) PerceptronOptions {
	rule := PerceptronOptions{Voted: !s.Asks("rule"), Intercept: !s.Asks("intercept"), Passes: int(s.Params["passes"]),
		Shuffle: !s.Asks("order")}
	if rule.Passes == 0 {
		rule.Passes = 10
	}
	return rule
}

// The losses by the task, in the order of their words.
var (
	valueLosses = []Loss{Squared, EpsilonInsensitive}
	classLosses = []Loss{LogisticLoss, Hinge}
)

// dropRules are in the order of their words.
var dropRules = []BudgetRule{ProjectNearest, DropSmallest, DropOldest, ProjectSmallest}

func lossesFor(task data.Task) []Loss {
	if task == data.Regression {
		return valueLosses
	}
	return classLosses
}

func normaParams(task data.Task) []learn.Param {
	var losses []string
	for _, l := range lossesFor(task) {
		losses = append(losses, l.String())
	}
	return []learn.Param{{Name: "lambda", Default: 0.01, Domain: fitting.Positive, Summary: "weight of the penalty",
		Grid: learn.LogSpace(1e-5, 1e-1, 5)},
		fitting.Choice("loss", "what an error costs", losses...),
		{Name: "eta", Domain: fitting.NonNegative, Summary: "length of the first step; 0: as long as does not overshoot"},
		fitting.Choice("schedule", "how steps become shorter: 1/√t, not at all (targets that drift), 1/t", "root", "constant",
			"inverse"),
		{Name: "nu", Domain: kernel.Domain{High: 1, OpenHigh: true},
			Summary: "share of rows that may fall short of a margin or tube that is then learnt, too; 0: it is fixed"},
		{Name: "epsilon", Domain: fitting.NonNegative, Summary: "half width of the tube of epsilon-insensitive; 0: 0.1"},
		{Name: "budget", Domain: fitting.Count, Summary: "most rows that are kept; 0: all"},
		fitting.Choice("drop",
			"what goes beyond the budget: the term of least norm, with its projection onto those near it left behind, or "+
				"without, or the oldest; project: onto all others", "nearest", "smallest", "oldest", "project"),
		{Name: "truncate", Domain: fitting.Count, Summary: "rows after which a term is forgotten; 0: never"},
		passesParam(5), interceptParam, orderParam}
}

func fitNorma(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	self := make([]float64, p.Len())
	kernel.Diag(ctx, s.Kernel, self, p.Points)
	set := func(name string) int { return int(s.Params[name]) }
	n := Norma[any]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Loss: lossesFor(p.Task)[set("loss")],
		Eta: s.Params["eta"], Schedule: Schedule(set("schedule")), Nu: s.Params["nu"], Epsilon: s.Params["epsilon"],
		Intercept: !s.Asks("intercept"), Truncate: set("truncate"), Budget: set("budget"), BudgetRule: dropRules[set("drop")],
		Passes: set("passes"), Shuffle: !s.Asks("order"), Weights: p.FitWeights(), Resources: s.Resources}
	if n.Passes == 0 {
		n.Passes = 5
	}
	if n.Eta == 0 {
		n.Eta = 1 / (n.Lambda + 1 + slices.Max(self)) // a step that does not overshoot
	}
	if p.Task == data.Regression {
		return fitting.Fitted(fitCentred(ctx, n, p))
	}
	return fitting.Fitted(NormaClassification[any, int]{Norma: n}.Fit(ctx, p.Points, p.Codes()))
}

// fitCentred learns the targets less their mean: a few passes that start at 0 would spend their
// steps on the way there, and how many that takes depends on where targets are counted from.
func fitCentred(ctx context.Context, n Norma[any], p learn.Problem[any]) (*Regressor[any], error) {
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
	m.going.offset = mean
	return &Regressor[any]{*learn.NewExpansionRegressor(&f, m.Support(), m.Report()), m.going}, nil
}
