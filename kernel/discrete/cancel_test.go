package discrete_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"gonum.org/v1/gonum/mat"
)

// ended asks prepared kernels for values after their context has ended: they return, whatever they
// leave.
func ended[T any](x data.Slice[T], ks ...kernel.Preparer[T]) {
	for _, k := range ks {
		ctx, cancel := context.WithCancel(context.Background())
		fill := k.PreparePoints(ctx, x, x)
		cancel()
		fill(mat.NewDense(2, 2, nil), 1, 1)
		k.PreparePoints(ctx, x, x[:3])(mat.NewDense(2, 2, nil), 1, 1)
	}
}

func TestEndedContext(*testing.T) {
	ended(randomSets(5, 6), kernel.Preparer[[]int](discrete.SharedSubsets[int]{}), discrete.Jaccard[int]{},
		discrete.OrnsteinUhlenbeck[int]{})
	ended(randomBags(5), kernel.Preparer[[]kernel.Vec](discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Gaussian{}}),
		discrete.PyramidMatch{Levels: 3})
	ended(fuzzySets(5), kernel.Preparer[[]discrete.Member[int]](discrete.FuzzyIntersection[int]{}),
		discrete.FuzzyCross[int]{Elements: near{}})
	ended(openRankings[:5], kernel.Preparer[discrete.Ranking](discrete.Kendall{}), discrete.Mallows{},
		discrete.MallowsMean{}, discrete.Spearman{})
}
