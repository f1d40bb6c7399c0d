package neighbours

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// neighbour is a candidate.
type neighbour struct {
	key float64
	at  int
}

// before says that a is nearer than b, or as near and comes first.
func (a neighbour) before(b neighbour) bool { return a.key < b.key || a.key == b.key && a.at < b.at }

// nearestFew keeps the k nearest candidates, in order.
type nearestFew struct {
	k     int
	found []neighbour
}

func (h *nearestFew) worst() float64 {
	if len(h.found) < h.k {
		return math.Inf(1)
	}
	return h.found[h.k-1].key
}

// offer puts a candidate into its place. Most are behind nearly all that were kept, so the place is
// looked for from the end.
func (h *nearestFew) offer(c neighbour) {
	if len(h.found) < h.k {
		h.found = append(h.found, c)
	} else if !c.before(h.found[h.k-1]) {
		return
	}
	i := len(h.found) - 1
	for ; i > 0 && c.before(h.found[i-1]); i-- {
		h.found[i] = h.found[i-1]
	}
	h.found[i] = c
}

// queryRows is how many queries one goroutine answers at a time by brute force.
const queryRows = 32

// visitor is told of the neighbours of one query after the other; found is good until the next.
type visitor func(i int, self float64, found []neighbour)

// search finds the k nearest of each query, in parallel, and hands them to a visitor for each piece
// of the queries. self is k(q, q), NaN when it is not known (precomputed kernels); the tree needs
// it.
func (x *neighbourIndex[T]) search(ctx context.Context, q data.Points[T], k int, visitors func() visitor) {
	q = x.moved.To(q)
	if s := x.newScreen(q); s != nil {
		x.searchScreened(ctx, q, k, s, visitors)
		return
	}
	n := x.x.Len()
	tiles := kernel.Prepare(ctx, x.kernel, q, x.x)
	blocks := sync.Pool{New: func() any { m := linalg.New[float64](queryRows, n); return &m }}
	par.For(x.threads, q.Len(), queryRows, func(lo, hi int) {
		visit := visitors()
		var block *linalg.Matrix[float64]
		h, rough := nearestFew{k: k, found: make([]neighbour, 0, k)}, nearestFew{k: k, found: make([]neighbour, 0, k)}
		var perhaps []neighbour
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			p := q.At(i)
			self := x.kernel.Eval(p, p)
			h.found = h.found[:0]
			if x.tree != nil && !math.IsNaN(self) {
				x.tree.search(&h, p, self)
				visit(i, self, h.found)
				continue
			}
			if block == nil {
				block = blocks.Get().(*linalg.Matrix[float64])
				defer blocks.Put(block)
				tiles.Tile(blas64.General(block.Slice(0, hi-lo, 0, n)), lo, 0)
			}
			// Blocks screen, single evaluations decide: all ways rank by the same bits.
			s := self
			if math.IsNaN(s) {
				s = 0
			}
			slack := x.slack(s)
			rough.found, perhaps = rough.found[:0], perhaps[:0]
			worst, limit := math.Inf(1), math.Inf(1)
			for j, v := range block.Row(i - lo) {
				c := neighbour{x.self[j] - 2*v, j}
				if c.key > limit {
					continue
				}
				perhaps = append(perhaps, c)
				if !(c.key > worst) {
					rough.offer(c)
					worst = rough.worst()
					limit = worst + slack
				}
			}
			x.decide(&h, p, perhaps, limit)
			visit(i, self, h.found)
		}
	})
}

// decide ranks the candidates whose rough key is within the limit by their keys.
func (x *neighbourIndex[T]) decide(h *nearestFew, q T, perhaps []neighbour, limit float64) {
	for _, c := range perhaps {
		if c.key <= limit {
			h.offer(neighbour{x.key(q, c.at), c.at})
		}
	}
}

// setWeights is what each neighbour counts.
func setWeights(w []float64, weighted bool, self float64, found []neighbour) {
	for a, f := range found {
		w[a] = 1
		if weighted {
			w[a] = 1 / math.Sqrt(math.Max(f.key+self, 0))
		}
	}
	if weighted && slices.ContainsFunc(w, func(v float64) bool { return math.IsInf(v, 1) }) {
		for a, v := range w {
			w[a] = 0
			if math.IsInf(v, 1) {
				w[a] = 1
			}
		}
	}
}
