package worker

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	trees "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/forest"
)

// forestArgs is how trees are grown: beyond its entry in the table, any number of columns may be
// drawn for a node.
type forestArgs struct {
	Trees   int    `json:"trees"`
	Depth   int    `json:"depth"` // 0: no bound
	Min     int    `json:"min"`
	Columns int    `json:"columns"`
	Random  bool   `json:"random"` // thresholds
	Sample  bool   `json:"sample"` // each tree has a bootstrap sample of the rows
	Entropy bool   `json:"entropy"`
	Seed    uint64 `json:"seed"`
	// Rate, where it is not 0, is that of boosted trees, which are grown one after the other.
	Rate float64 `json:"rate"`
}

func (a forestArgs) growth() trees.Growth {
	g := trees.Growth{Trees: a.Trees, Depth: a.Depth, Min: a.Min, Columns: a.Columns, Sampling: trees.AllRows,
		Seed: a.Seed}
	if a.Sample {
		g.Sampling = trees.Bootstrap
	}
	if a.Random {
		g.Splits = trees.RandomSplits
	}
	if a.Entropy {
		g.Criterion = trees.Entropy
	}
	return g
}

// fitForest grows trees, and keeps what they say of the rows that each has not seen, and what
// columns are worth.
func (j *fitJob) fitForest(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Saver[any], error) {
	x, ok := data.VectorsOf(p.Points)
	if !ok {
		return nil, fmt.Errorf("forest: trees cut the columns of dense rows")
	}
	g, rate := j.args.Forest.growth(), j.args.Forest.Rate
	var m learn.Model[any]
	if p.Task == data.Regression {
		var r *forest.Regressor
		var err error
		if rate > 0 {
			r, err = forest.Boosting{Growth: g, Rate: rate, Weights: p.Weights, Resources: s.Resources}.Fit(ctx, x, p.Y)
		} else {
			r, err = forest.Regression{Growth: g, Weights: p.Weights, Resources: s.Resources}.Fit(ctx, x, p.Y)
		}
		if err != nil {
			return nil, err
		}
		m, j.bag, j.shares = learn.OnVectors(r), r.OutOfBag(), r.Forest().Importances()
	} else {
		var c *forest.Classifier[int]
		var err error
		if rate > 0 {
			c, err = forest.BoostingClassification[int]{Growth: g, Rate: rate, Weights: p.Weights,
				Resources: s.Resources}.Fit(ctx, x, p.Codes())
		} else {
			c, err = forest.Classification[int]{Growth: g, Weights: p.Weights, Resources: s.Resources}.Fit(ctx, x, p.Codes())
		}
		if err != nil {
			return nil, err
		}
		m, j.bag, j.shares = learn.ClassesOnVectors(c), c.OutOfBag(), c.Forest().Importances()
	}
	return m.(learn.Saver[any]), nil
}
