package tree_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/tree"
	"gonum.org/v1/gonum/mat"
)

// Once the context has ended nothing is prepared and nothing is filled.
func TestEndedContext(t *testing.T) {
	x := randomTrees(5, 3)
	for _, k := range []kernel.Preparer[*bracket.Tree]{tree.Subtree{}, tree.SubsetTree{}, tree.Partial{}} {
		ctx, cancel := context.WithCancel(context.Background())
		fill := k.PreparePoints(ctx, x, x)
		cancel()
		for _, f := range []kernel.Rectangle{fill, k.PreparePoints(ctx, x, x[:3])} {
			dst := mat.NewDense(2, 2, []float64{-1, -1, -1, -1})
			f(dst, 1, 1)
			if mat.Sum(dst) != -4 {
				t.Errorf("%T filled %v", k, mat.Formatted(dst))
			}
		}
	}
}
