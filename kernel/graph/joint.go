package graph

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// preparePairs is the Rectangle of a function of two graphs that were mapped together with all others.
func preparePairs[U any](ctx context.Context, x, y data.Points[Graph], embed func(ctx context.Context, all []*form) []U, eval func(u, v U) float64) kernel.Rectangle {
	left, right := kernel.MapBoth(ctx, x, y, newForm)
	same := kernel.SamePoints(x, y)
	all := left
	if !same {
		all = slices.Concat(left, right)
	}
	if ctx.Err() != nil {
		return func(*mat.Dense, int, int) {}
	}
	mapped := embed(ctx, all)
	u := mapped[:len(left)]
	v := u
	if !same {
		v = mapped[len(left):]
	}
	return func(dst *mat.Dense, i, j int) {
		m := linalg.Of(dst)
		for a := range m.Rows {
			row := m.Row(a)
			for b := range row {
				if ctx.Err() != nil {
					return
				}
				row[b] = eval(u[i+a], v[j+b])
			}
		}
	}
}

// evalPair is the function of two graphs mapped together.
func evalPair[U any](x, y Graph, embed func(ctx context.Context, all []*form) []U, eval func(u, v U) float64) float64 {
	m := embed(context.Background(), []*form{newForm(x), newForm(y)})
	return eval(m[0], m[1])
}
