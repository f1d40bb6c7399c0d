package forest

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
)

// Boosting predicts numbers by a sum of trees, each grown by what those before it have left over:
// gradient boosting of the squared error (forest.Boosted). The model is a forest whose mean is that
// sum, and its trees are a kernel like those of any forest.
//
// The zero value grows 300 trees of depth 4 with leaves of at least 5 rows, at a rate of 0.1.
type Boosting struct {
	forest.Growth         // Trees are rounds; Min of 0 means 5
	Rate          float64 // of learning; 0 means 0.1
	Weights       []float64
	learn.Resources
}

// Fit grows the trees.
func (c Boosting) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (_ *Regressor, err error) {
	defer fault.Name("boosting", &err)
	start := time.Now()
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	weights, err := fitting.Prices(1, len(y), c.Weights)
	if err != nil {
		return nil, err
	}
	b, report, err := boosted("boosting", &c.Resources, c.Growth, c.Rate, x, 1)
	if err != nil {
		return nil, err
	}
	b.Weights = weights
	f, err := b.Fit(ctx, x, y)
	if err != nil {
		return nil, fault.Plain(err)
	}
	report.Elapsed = time.Since(start)
	return &Regressor{*newModel("boosting", f, []float64{learn.Mean(y, weights)}, nil, report)}, nil
}

// BoostingClassification is Boosting of the logistic loss of two classes, or of the cross-entropy of
// more, which have a tree each in every round. The softmax of the sums is the probabilities.
type BoostingClassification[L cmp.Ordered] struct {
	forest.Growth               // Trees are rounds; Min of 0 means 5
	Rate          float64       // of learning; 0 means 0.1
	Balance       learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights  map[L]float64 // weight of a class
	Weights       []float64     // of rows; nil means 1
	learn.Resources
}

// Fit grows the trees.
func (c BoostingClassification[L]) Fit(
	ctx context.Context, x data.Points[kernel.Vec], y []L,
) (_ *Classifier[L], err error) {
	defer fault.Name("boosting classifier", &err)
	start := time.Now()
	labels, err := fitting.Labels(x, y)
	if err != nil {
		return nil, err
	}
	weights, err := labels.PointWeights(c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	k := len(labels.Classes)
	b, report, err := boosted("boosting classifier", &c.Resources, c.Growth, c.Rate, x, sums(k))
	if err != nil {
		return nil, err
	}
	b.Weights, b.Penalty = weights, 1
	f, err := b.FitClasses(ctx, x, labels.Code, k)
	if err != nil {
		return nil, fault.Plain(err)
	}
	report.Elapsed = time.Since(start)
	return &Classifier[L]{*newModel("boosting-classifier", f, make([]float64, sums(k)), nil, report), labels.Classes}, nil
}

// sums is how many sums of trees k classes have.
func sums(k int) int {
	if k == 2 {
		return 1
	}
	return k
}

// boosted is the machine with what was left open filled in, and the report that it begins with.
func boosted(
	name string, r *learn.Resources, g forest.Growth, rate float64, x data.Points[kernel.Vec], outputs int,
) (forest.Boosted, learn.Report, error) {
	g.Trees, g.Depth, g.Min = cmp.Or(g.Trees, 300), cmp.Or(g.Depth, 4), cmp.Or(g.Min, 5)
	grown := g
	grown.Trees *= outputs // in all
	report, err := room(name, r, grown, x, outputs)
	return forest.Boosted{Growth: g, Rate: rate, Threads: r.Threads}, report, err
}

// probabilities are those of the sums of a boosted forest, which may lie where they go: of two
// classes the logistic function of the one sum, of more the softmax.
func probabilities(dst, sums []float64) {
	if len(sums) == 1 {
		odds := sums[0]
		dst[0], dst[1] = 1/(1+math.Exp(odds)), 1/(1+math.Exp(-odds))
		return
	}
	most, total := sums[learn.ArgMax(sums)], 0.0
	for c, v := range sums {
		dst[c] = math.Exp(v - most)
		total += dst[c]
	}
	for c := range dst {
		dst[c] /= total
	}
}

// boostingParams are those of boosted trees. A search looks at depths alone: more rounds hardly ever
// change what is chosen, and take most of its time. Three classes and more have as many trees in a
// round, so that it does not even do that.
func boostingParams(task data.Task) []learn.Param {
	whole := kernel.Domain{Low: 1, High: math.Inf(1), Integer: true}
	out := []learn.Param{
		{Name: "trees", Default: 300, Domain: whole,
			Summary: "rounds, of a tree each; of three classes and more a tree for each class"},
		{Name: "depth", Default: 4, Domain: whole, Summary: "cuts above a leaf, at most"},
		{Name: "rate", Default: 0.1, Domain: kernel.Domain{Low: 0, High: 1, OpenLow: true},
			Summary: "part of its step that a tree goes"},
		{Name: "min", Default: 5, Domain: whole, Summary: "rows of a leaf, at least"},
		fitting.Choice("columns", "drawn for each node; auto: all for numbers, a third for classes, and 64 at most", "auto",
			"all", "third", "root"),
		{Name: "seed", Domain: fitting.Count, Summary: "of draws"},
	}
	if task != data.Multiclass {
		out[1].Grid = []float64{3, 6}
	}
	return out
}

// boostingColumns is how many of d columns a node looks at.
func boostingColumns(choice float64, task data.Task, d int) int {
	switch {
	case choice == 1 || choice == 0 && task == data.Regression && d <= mostDrawn:
		return d
	case choice == 3:
		return int(math.Sqrt(float64(d)))
	case choice == 0 && task == data.Regression:
		return mostDrawn
	case choice == 0:
		return min((d+2)/3, mostDrawn)
	}
	return (d + 2) / 3
}

// mostDrawn is the most columns that a node looks at where nothing is said: with more, rounds are
// dear, and their trees are more like each other.
const mostDrawn = 64

func fitBoosting(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, d, err := tableOf("boosting", p)
	if err != nil {
		return nil, err
	}
	g := forest.Growth{Trees: int(s.Params["trees"]), Depth: int(s.Params["depth"]), Min: int(s.Params["min"]),
		Seed:    uint64(s.Params["seed"]),
		Columns: max(boostingColumns(s.Params["columns"], p.Task, d), 1)}
	if p.Task == data.Regression {
		m, err := Boosting{Growth: g, Rate: s.Params["rate"], Weights: p.FitWeights(), Resources: s.Resources}.Fit(ctx, x,
			p.Y)
		if err != nil {
			return nil, err
		}
		return learn.OnVectors(m), nil
	}
	m, err := BoostingClassification[int]{Growth: g, Rate: s.Params["rate"], Weights: p.FitWeights(),
		Resources: s.Resources}.Fit(ctx, x, p.Codes())
	if err != nil {
		return nil, err
	}
	return learn.ClassesOnVectors(m), nil
}
