package neighbours

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// vantageTree splits the points of each node by their distance from one of
// them: those within the median radius, and the others (Yianilos 1993). It
// needs nothing of the space but the metric d(x, y) = ‖φ(x) - φ(y)‖.
type vantageTree[T any] struct {
	index *neighbourIndex[T]
	root  *vantageNode
}

type vantageNode struct {
	at              int
	low, high       [2]float64 // distances of the points of each side from at
	inside, outside *vantageNode
	leaf            []int // the points, where they are few
}

// leafPoints are searched one by one.
const leafPoints = 16

func newVantageTree[T any](ctx context.Context, x *neighbourIndex[T]) (*vantageTree[T], error) {
	t := &vantageTree[T]{index: x}
	type far struct {
		d  float64
		at int
	}
	var build func(points []int) (*vantageNode, error)
	build = func(points []int) (*vantageNode, error) {
		if len(points) == 0 {
			return nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(points) <= leafPoints {
			return &vantageNode{leaf: points}, nil
		}
		node := &vantageNode{at: points[len(points)/2]}
		v := x.each.At(node.at)
		rest := make([]far, 0, len(points)-1)
		for _, p := range points {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if p != node.at {
				rest = append(rest, far{t.distance(x.self[node.at], x.key(v, p)), p})
			}
		}
		slices.SortFunc(rest, func(a, b far) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.at, b.at)) })
		half := len(rest) / 2
		side := func(s []far) []int {
			out := make([]int, len(s))
			for i, f := range s {
				out[i] = f.at
			}
			slices.Sort(out)
			return out
		}
		node.low = [2]float64{rest[0].d, rest[half].d}
		node.high = [2]float64{rest[half-1].d, rest[len(rest)-1].d}
		var err error
		if node.inside, err = build(side(rest[:half])); err != nil {
			return nil, err
		}
		node.outside, err = build(side(rest[half:]))
		return node, err
	}
	var err error
	t.root, err = build(par.Indices(0, x.x.Len()))
	return t, err
}

func (t *vantageTree[T]) distance(self, key float64) float64 {
	return math.Sqrt(math.Max(self+key, 0))
}

// search offers every point that may be among the nearest: a side whose
// distances from the vantage point lie in [low, high] is left out when even
// the triangle inequality puts all of it beyond the worst found so far.
func (t *vantageTree[T]) search(h *nearestFew, q T, self float64) {
	slack := t.index.slack(self)
	var visit func(n *vantageNode)
	visit = func(n *vantageNode) {
		if n == nil {
			return
		}
		if n.leaf != nil {
			for _, p := range n.leaf {
				h.offer(neighbour{t.index.key(q, p), p})
			}
			return
		}
		key := t.index.key(q, n.at)
		h.offer(neighbour{key, n.at})
		d := t.distance(self, key)
		near, far := n.inside, n.outside
		order := [2]int{0, 1}
		if d > (n.high[0]+n.low[1])/2 {
			near, far = far, near
			order = [2]int{1, 0}
		}
		for k, side := range []*vantageNode{near, far} {
			s := order[k]
			gap := math.Max(math.Max(n.low[s]-d, d-n.high[s]), 0)
			// Distances are known to √slack only.
			gap = math.Max(gap-2*math.Sqrt(slack), 0)
			if gap*gap <= h.worst()+self+slack {
				visit(side)
			}
		}
	}
	visit(t.root)
}
