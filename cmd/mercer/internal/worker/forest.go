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
}

func (a forestArgs) growth() trees.Growth {
	g := trees.Growth{Trees: a.Trees, Depth: a.Depth, Min: a.Min, Columns: a.Columns, Sampling: trees.AllRows, Seed: a.Seed}
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

// fitForest grows trees, and keeps what they say of the rows that each has not seen.
func (j *fitJob) fitForest(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Saver[any], error) {
	x, ok := data.VectorsOf(p.Points)
	if !ok {
		return nil, fmt.Errorf("forest: trees cut the columns of dense rows")
	}
	var m learn.Model[any]
	if p.Task == data.Regression {
		r, err := forest.Regression{Growth: j.args.Forest.growth(), Weights: p.Weights, Resources: s.Resources}.Fit(ctx, x, p.Y)
		if err != nil {
			return nil, err
		}
		m, j.bag, j.shares = learn.OnVectors(r), r.OutOfBag(), r.Forest().Importances()
	} else {
		c, err := forest.Classification[int]{Growth: j.args.Forest.growth(), Weights: p.Weights, Resources: s.Resources}.Fit(ctx, x, p.Codes())
		if err != nil {
			return nil, err
		}
		m, j.bag, j.shares = learn.ClassesOnVectors(c), c.OutOfBag(), c.Forest().Importances()
	}
	return m.(learn.Saver[any]), nil
}
