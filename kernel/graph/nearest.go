package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// Nearest is the graph of nearest neighbours of points: i and j are joined where one is among the
// others nearest to the other, by the distance ‖φ(x) − φ(y)‖² = k(x, x) − 2k(x, y) + k(y, y). The
// weight of an edge is k(xᵢ, xⱼ), which has to be positive. Of points at the same distance the
// first are nearer.
func Nearest[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], neighbours int) (Graph, error) {
	n := x.Len()
	if neighbours < 1 || neighbours >= n {
		return Graph{}, fmt.Errorf("kernel: nearest: %d neighbours of %d points, want 1 to %d", neighbours, n, n-1)
	}
	if err := kernel.Check(k, x); err != nil {
		return Graph{}, err
	}
	type near struct {
		to              int32
		distance, value float64
	}
	self := make([]float64, n)
	for i := range self {
		self[i] = k.Eval(x.At(i), x.At(i))
	}
	nearest := make([][]near, n)
	par.For(0, n, 16, func(lo, hi int) {
		all := make([]near, 0, n)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			all = all[:0]
			for j := range n {
				if i != j {
					v := k.Eval(x.At(min(i, j)), x.At(max(i, j)))
					all = append(all, near{int32(j), self[i] - 2*v + self[j], v})
				}
			}
			slices.SortFunc(all, func(a, b near) int {
				return cmp.Or(cmp.Compare(a.distance, b.distance),
					cmp.Compare(a.to, b.to))
			})
			nearest[i] = slices.Clone(all[:neighbours])
		}
	})
	if ctx.Err() != nil {
		return Graph{}, ctx.Err()
	}
	g := Graph{Nodes: n}
	for i, list := range nearest {
		for _, e := range list {
			mutual := slices.ContainsFunc(nearest[e.to], func(b near) bool { return int(b.to) == i })
			if mutual && int(e.to) < i {
				continue // there already
			}
			if !(e.value > 0) || math.IsInf(e.value, 0) {
				return Graph{}, fmt.Errorf("kernel: nearest: k(x, y) of rows %d and %d is %g, and the weights of a graph are "+
					"positive; use a kernel such as the Gaussian", i, e.to, e.value)
			}
			g.Edges = append(g.Edges, [2]int32{int32(i), e.to})
			g.Weights = append(g.Weights, e.value)
		}
	}
	return g, nil
}
