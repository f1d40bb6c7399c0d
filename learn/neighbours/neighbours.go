package neighbours

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
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
	moved   fitting.Moved[T] // distances far from the origin lose no digits
	x       data.Points[T]   // the moved points
	each    data.Points[T]   // the same, for single ones
	self    []float64        // k(x, x)
	largest float64          // of |self|
	tree    *vantageTree[T]
	threads int
}

// treeFrom is the number of points from which AutoSearch takes the tree. Of vectors, blocks are
// computed faster than single pairs, and a tree visits the more of its points the more columns
// there are: there it takes, by a rule of thumb, twice as many points for every column.
const treeFrom = 256

// treePays says whether the tree is expected to be faster than blocks.
func (x *neighbourIndex[T]) treePays() bool {
	least := treeFrom
	if v, ok := data.VectorsOf(x.x); ok && v.Len() > 0 {
		least <<= min(len(v.At(0)), 30)
	}
	return len(x.self) >= least
}

func newNeighbourIndex[T any](
	ctx context.Context, learner string, k kernel.Kernel[T], x data.Points[T], o Options, bytes int64,
) (*neighbourIndex[T], error) {
	n := x.Len()
	if bytes > o.Bytes {
		return nil, &learn.OverBudget{Learner: learner, Points: n, Needs: bytes, Budget: o.Bytes,
			Instead: "give it more memory or take fewer points"}
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
	moved := fitting.MoveToMean(k, x)
	return &neighbourIndex[T]{kernel: k, given: x, moved: moved, x: moved.Points, each: data.Boxed(moved.Points),
		self: self}
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
	return x.self[j] - 2*x.kernel.Eval(q, x.each.At(j))
}

// slack bounds the rounding of a squared distance. Pruning allows for it, so
// that ties are settled by index whichever way they were found.
func (x *neighbourIndex[T]) slack(self float64) float64 {
	return 1e-9 * (x.largest + math.Abs(self))
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
