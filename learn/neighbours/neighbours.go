package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
	"gonum.org/v1/gonum/blas/blas64"
)

// Search is how nearest neighbours are found. Both ways find the same.
type Search int

const (
	// AutoSearch takes the tree where the kernel is known to be positive semi-definite and there
	// are enough points, else brute force.
	AutoSearch Search = iota
	// BruteSearch computes blocks of distances to all points.
	BruteSearch
	// TreeSearch descends a vantage-point tree (Yianilos 1993). It is exact where the kernel
	// is positive semi-definite, for then d is a metric.
	TreeSearch
)

// Options is what the nearest-neighbour learners share. Distance is that of the
// feature space, d²(x, y) = k(x, x) + k(y, y) - 2k(x, y); of points equally far the one
// that comes first in the training set is nearer.
type Options struct {
	K        int    // neighbours; 0 means 5, or all points if fewer
	Weighted bool   // neighbours count by 1/d, those at distance 0 alone when there are any
	Search   Search // how they are found
	learn.Resources
}

// neighbourIndex is a training set made ready for queries.
type neighbourIndex[T any] struct {
	kernel  kernel.Kernel[T]
	given   data.Points[T]
	moved   learn.Moved[T] // distances far from the origin lose no digits
	x       data.Points[T] // the moved points
	self    []float64      // k(x, x)
	largest float64        // of |self|
	tree    *vantageTree[T]
	threads int
}

// treeFrom is the number of points from which AutoSearch takes the tree. Of vectors, blocks are computed faster than
// single pairs, and a tree visits the more of its points the more columns there are: there it takes, by a rule of thumb, twice as many points for
// every column.
const treeFrom = 256

// treePays says whether the tree is expected to be faster than blocks.
func (x *neighbourIndex[T]) treePays() bool {
	least := treeFrom
	if v, ok := any(x.x).(data.Points[kernel.Vec]); ok && v.Len() > 0 {
		least <<= min(len(v.At(0)), 30)
	}
	return len(x.self) >= least
}

func newNeighbourIndex[T any](ctx context.Context, learner string, k kernel.Kernel[T], x data.Points[T], o Options, bytes int64) (*neighbourIndex[T], error) {
	n := x.Len()
	if bytes > o.Bytes {
		return nil, &learn.OverBudget{Learner: learner, Points: n, Needs: bytes, Budget: o.Bytes, Instead: "give it more memory or take fewer points"}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	index := newIndexOf(k, data.Own(x), make([]float64, n))
	index.threads = o.Threads
	kernel.Diag(ctx, k, index.self, index.x)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return index, index.prepare(ctx, o.Search)
}

// newIndexOf is the index of points before it is prepared.
func newIndexOf[T any](k kernel.Kernel[T], x data.Points[T], self []float64) *neighbourIndex[T] {
	moved := learn.MoveToMean(k, x)
	return &neighbourIndex[T]{kernel: k, given: x, moved: moved, x: moved.Points, self: self}
}

// prepare looks at k(x, x) of all points and builds the tree where one is wanted.
func (x *neighbourIndex[T]) prepare(ctx context.Context, s Search) error {
	for i, v := range x.self {
		if math.IsNaN(v) || math.Abs(v) > fitting.LargestFeature {
			return fmt.Errorf("k(x, x) of row %d is %g; scale the points or the kernel", i, v)
		}
		x.largest = math.Max(x.largest, math.Abs(v))
	}
	if s == BruteSearch || s == AutoSearch && (!x.treePays() || kernel.PropertiesOf(x.kernel).PSD != kernel.Yes) {
		return nil
	}
	var err error
	x.tree, err = newVantageTree(ctx, x)
	return err
}

// key orders the neighbours of a query: d² less k(q, q), which is the same for
// all of them and need not be known.
func (x *neighbourIndex[T]) key(q T, j int) float64 {
	return x.self[j] - 2*x.kernel.Eval(q, x.x.At(j))
}

// slack bounds the rounding of a squared distance. Pruning allows for it, so
// that ties are settled by index whichever way they were found.
func (x *neighbourIndex[T]) slack(self float64) float64 {
	return 1e-9 * (x.largest + math.Abs(self))
}

// neighbour is a candidate.
type neighbour struct {
	key float64
	at  int
}

func nearer(a, b neighbour) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.at, b.at)
}

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

func (h *nearestFew) offer(c neighbour) {
	if len(h.found) == h.k && nearer(c, h.found[h.k-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(h.found, c, nearer)
	h.found = slices.Insert(h.found, at, c)
	if len(h.found) > h.k {
		h.found = h.found[:h.k]
	}
}

// queryRows is how many queries one goroutine answers at a time by brute force.
const queryRows = 32

// search finds the k nearest of each query and hands them to visit, in parallel.
// self is k(q, q), NaN when it is not known (precomputed kernels); the tree needs it.
func (x *neighbourIndex[T]) search(ctx context.Context, q data.Points[T], k int, visit func(i int, self float64, found []neighbour)) {
	n := x.x.Len()
	q = x.moved.To(q)
	tiles := kernel.Prepare(ctx, x.kernel, q, x.x)
	blocks := sync.Pool{New: func() any { m := linalg.New[float64](queryRows, n); return &m }}
	par.For(x.threads, q.Len(), queryRows, func(lo, hi int) {
		var block *linalg.Matrix[float64]
		rough := nearestFew{k: k}
		var perhaps []neighbour
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			p := q.At(i)
			self := x.kernel.Eval(p, p)
			h := &nearestFew{k: k, found: make([]neighbour, 0, k+1)}
			if x.tree != nil && !math.IsNaN(self) {
				x.tree.search(h, p, self)
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
			for _, c := range perhaps {
				if c.key <= limit {
					h.offer(neighbour{x.key(p, c.at), c.at})
				}
			}
			visit(i, self, h.found)
		}
	})
}

// neighbourWeights is what each neighbour counts.
func neighbourWeights(weighted bool, self float64, found []neighbour) []float64 {
	w := make([]float64, len(found))
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
	return w
}

func (o *Options) check(n int) error {
	if o.K == 0 {
		o.K = min(5, n)
	}
	if o.K < 0 || o.K > n {
		return fmt.Errorf("K is %d; give a number from 1 to the %d points, or 0", o.K, n)
	}
	if o.Search < AutoSearch || o.Search > TreeSearch {
		return fmt.Errorf("Search is %d; give one of AutoSearch, BruteSearch, TreeSearch", o.Search)
	}
	var err error
	o.Resources, err = o.Resources.WithDefaults()
	return err
}
