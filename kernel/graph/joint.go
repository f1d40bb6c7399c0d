package graph

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// preparePairs is the Rectangle of a function of two graphs that were mapped by one vocabulary.
func preparePairs[U any](
	ctx context.Context, x, y data.Points[Graph], embed func(ctx context.Context, r *reader, graphs []*form) []U,
	eval func(u, v U) float64,
) kernel.Rectangle {
	u, v := embedBoth(ctx, x, y, embed)
	return kernel.PairsOf(ctx, u, v, eval)
}

// evalPair is the function of two graphs mapped together.
func evalPair[U any](
	x, y Graph, embed func(ctx context.Context, r *reader, graphs []*form) []U, eval func(u, v U) float64,
) float64 {
	u, v := embedPair(x, y, embed)
	return eval(u[0], v[0])
}
