package forest

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of forests and boosted trees in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "forest", Summary: "random forest: the mean of many trees, each grown on a sample of the rows",
		Values: true, Classes: true, OwnKernel: true,
		Params: params,
		Fit:    fitSettings,
		Cells:  fitting.FoldByFold(fitSettings), Shares: fitting.Always,
		Bytes: func(_ data.Task, n int) int64 { return 100 * 72 * int64(n) },
		Auto:  learn.Auto{Rows: func(data.Task) int { return math.MaxInt / 2 }},
		Saved: map[string]learn.Restorer[any]{"forest": onVectors(restoreRegressor),
			"forest-classifier": onVectors(restoreClassifier)},
	}, {
		Name:    "boosting",
		Summary: "gradient boosting: a sum of small trees, each grown by what those before it have left over",
		Values:  true, Classes: true, OwnKernel: true,
		Params: boostingParams,
		Fit:    fitBoosting,
		Cells:  fitting.FoldByFold(fitBoosting), Shares: fitting.Always,
		Bytes: func(_ data.Task, n int) int64 { return 100 * int64(n) },
		Auto:  learn.Auto{Rows: func(data.Task) int { return math.MaxInt / 2 }},
		Saved: map[string]learn.Restorer[any]{"boosting": onVectors(restoreBoosting),
			"boosting-classifier": onVectors(restoreBoostingClassifier)},
	}}
}

// params are those of trees. Columns by default are as scikit-learn's: all for numbers, √d for
// classes.
func params(task data.Task) []learn.Param {
	out := []learn.Param{
		{Name: "trees", Default: 100, Domain: kernel.Domain{Low: 1, High: math.Inf(1), Integer: true},
			Summary: "number of trees"},
		{Name: "depth", Domain: fitting.Count, Summary: "cuts above a leaf, at most; 0: no bound"},
		{Name: "min", Default: 1, Domain: kernel.Domain{Low: 1, High: math.Inf(1), Integer: true},
			Summary: "rows of a leaf, at least", Grid: []float64{1, 3, 10}},
		fitting.Choice("splits",
			"of a node: the best threshold of each column drawn, or one at random (extremely randomised trees)", "best",
			"random"),
		fitting.Choice("sample", "of rows for a tree; auto: a bootstrap sample, all rows for random splits", "auto",
			"bootstrap", "all"),
		{Name: "seed", Domain: fitting.Count, Summary: "of samples and draws"},
	}
	if task == data.Regression {
		return append(out, fitting.Choice("columns", "drawn for each node", "all", "third", "root"))
	}
	return append(out, fitting.Choice("columns", "drawn for each node", "root", "third", "all"),
		fitting.Choice("impurity", "that a cut is to lower", "gini", "entropy"))
}

// growth reads the parameters for rows of d columns.
func growth(s learn.Settings, task data.Task, d int) forest.Growth {
	g := forest.Growth{Trees: int(s.Params["trees"]), Depth: int(s.Params["depth"]), Min: int(s.Params["min"]),
		Splits:   forest.Splits(s.Params["splits"]),
		Sampling: forest.Sampling(s.Params["sample"]), Criterion: forest.Criterion(s.Params["impurity"]),
		Seed: uint64(s.Params["seed"])}
	many := []int{d, d / 3, int(math.Sqrt(float64(d)))}
	at := int(s.Params["columns"])
	if task != data.Regression {
		at = len(many) - 1 - at
	}
	g.Columns = max(many[at], 1)
	return g
}

// tableOf is the rows of a problem and the number of their columns, or why trees have none to cut.
func tableOf(learner string, p learn.Problem[any]) (x data.Points[kernel.Vec], columns int, err error) {
	x, ok := data.VectorsOf(p.Points)
	if !ok {
		if _, sparse := data.Concrete(p.Points).(data.SparseRows); sparse {
			return nil, 0, fmt.Errorf("%s: trees cut the columns of a table, and these are sparse rows, of the words of texts "+
				"say; take linear-svm, svm or ridge", learner)
		}
		return nil, 0, fmt.Errorf("%s: trees cut the columns of a table, and these points are %T; take a learner "+
			"with a kernel", learner, data.Concrete(p.Points))
	}
	if x.Len() > 0 {
		columns = len(x.At(0))
	}
	return x, columns, nil
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, d, err := tableOf("forest", p)
	if err != nil {
		return nil, err
	}
	g := growth(s, p.Task, d)
	if p.Task == data.Regression {
		m, err := Regression{Growth: g, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, x, p.Y)
		if err != nil {
			return nil, err
		}
		return learn.OnVectors(m), nil
	}
	m, err := Classification[int]{Growth: g, Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, x, p.Codes())
	if err != nil {
		return nil, err
	}
	return learn.ClassesOnVectors(m), nil
}

// onVectors is a restorer of models on vectors among those of erased points.
func onVectors(restore learn.Restorer[kernel.Vec]) learn.Restorer[any] {
	return func(s learn.Saved[any]) (learn.Model[any], error) {
		v, ok := fitting.SavedOnVectors(s)
		if !ok {
			return nil, fmt.Errorf("a forest has vectors, not %T", data.Concrete(s.Func.Centers))
		}
		m, err := restore(v)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *Regressor:
			return learn.OnVectors(m), nil
		case *Classifier[int]:
			return learn.ClassesOnVectors(m), nil
		}
		return nil, fmt.Errorf("a %T is no forest", m)
	}
}
