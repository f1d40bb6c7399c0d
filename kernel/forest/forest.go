package forest

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// node is a split, or a leaf where column is below 0. The right child comes after the left one, and
// both after the node.
type node struct {
	threshold   float64 // numbers up to it go left
	column      int32
	child       int32 // left child, from the first node of the tree on; of a leaf its number in the forest
	set         int32 // of categories that go left; below 0: a split of numbers
	missingLeft bool
}

// set is bins of a column of categories.
type set [bins / 64]uint64

func (s *set) add(b uint8)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) has(b uint8) bool { return s[b>>6]>>(b&63)&1 != 0 }

// Forest is trees that were grown, and the kernel that they make: the share of trees in which two
// points fall into one leaf. It never changes, and is safe for concurrent use.
type Forest struct {
	name       string // of the kernel
	dim        int
	outputs    int         // numbers of a leaf
	categories [][]float64 // of each column: its categories, nil for numbers; nil where all are
	nodes      []node
	sets       []set
	roots      []int     // first node of each tree, and the number of nodes
	values     []float64 // outputs numbers for each leaf: the mean of its targets, the shares of classes, or the depth
	sample     float64   // rows that a tree of an isolation forest was grown on, at most
	missing    bool      // NaN is a missing value, not a mistake
	importance []float64 // of columns, where the trees were grown by targets
}

// Trees is the number of trees.
func (f *Forest) Trees() int { return len(f.roots) - 1 }

// Leaves is the number of leaves of all trees: of the features of the kernel.
func (f *Forest) Leaves() int { return len(f.values) / f.outputs }

// Dim is the number of coordinates of a point.
func (f *Forest) Dim() int { return f.dim }

// Outputs is how many numbers Average gives for a point.
func (f *Forest) Outputs() int { return f.outputs }

// Importances is the share that each column has in what all cuts lower the impurity of the targets
// by, the mean over the trees (Breiman 2001; scikit-learn's feature_importances_), of boosted trees
// in what they take from Σ wh(z - f)² together (Friedman 2001): numbers that sum to 1, or zeros
// where no tree has a cut. Columns of many values are favoured, so that a column shuffled
// (tune.PermutationImportance) is the better judge. It is nil for a forest that was grown without
// targets.
func (f *Forest) Importances() []float64 { return slices.Clone(f.importance) }

// weigh sets the importances from the gains of the trees.
func (f *Forest) weigh(trees []tree) {
	f.importance = make([]float64, f.dim)
	for _, t := range trees {
		addShares(f.importance, t.gain)
	}
	sum := make([]float64, f.dim)
	addShares(sum, f.importance)
	f.importance = sum
}

// weighTerms sets the importances from the gains of trees that are terms of a sum: one that has
// little left to gain counts for little.
func (f *Forest) weighTerms(trees []tree) {
	sum, unit := make([]float64, f.dim), math.MinInt
	for _, t := range trees {
		unit = max(unit, t.unit)
	}
	for _, t := range trees {
		for j, g := range t.gain {
			sum[j] += math.Ldexp(g, t.unit-unit)
		}
	}
	f.importance = make([]float64, f.dim)
	addShares(f.importance, sum)
}

// addShares adds to dst what each number has of the sum of all, where that is not 0.
func addShares(dst, v []float64) {
	total := 0.0
	for _, x := range v {
		total += x
	}
	for j, x := range v {
		if total > 0 {
			dst[j] += x / total
		}
	}
}

// leaf is the number of the leaf of tree t that x falls into.
func (f *Forest) leaf(t int, x kernel.Vec) int32 {
	nodes := f.nodes[f.roots[t]:f.roots[t+1]]
	n := &nodes[0]
	for n.column >= 0 {
		v, right := x[n.column], int32(1)
		switch {
		case n.set >= 0:
			if f.sets[n.set].has(categoryBin(f.categories[n.column], v)) {
				right = 0
			}
		case v <= n.threshold || v != v && n.missingLeft:
			right = 0
		}
		n = &nodes[n.child+right]
	}
	return n.child
}

// leavesOf writes the leaf of x in each tree.
func (f *Forest) leavesOf(dst []int32, x kernel.Vec) {
	for t := range dst {
		dst[t] = f.leaf(t, x)
	}
}

// blockRows is how many points go through a tree together, while it is in cache.
const blockRows = 64

// Average returns the mean over all trees of the numbers of the leaf of each point, Outputs for
// each: the estimate of a forest. A forest of regression has the mean of the targets of a leaf, one
// of classes their shares.
func (f *Forest) Average(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	dst := make([]float64, lenOf(x)*f.outputs)
	if err := f.AverageTo(ctx, dst, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// AverageTo writes those of point i to dst from i·Outputs on.
func (f *Forest) AverageTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if x == nil {
		return fault.Errorf("forest", "no points: x is nil")
	}
	if len(dst) != x.Len()*f.outputs {
		return fault.Errorf("forest", "the destination has room for %d values, and %d points have %d", len(dst), x.Len(),
			x.Len()*f.outputs)
	}
	if err := f.CheckPoints(x); err != nil {
		return err
	}
	return f.averageOf(ctx, 0, dst, x, nil)
}

// averageOf is Average over the trees that have not seen a row; NaN where all have.
func (f *Forest) averageOf(
	ctx context.Context, threads int, dst []float64, x data.Points[kernel.Vec], seen []*bitmap,
) error {
	if x.Len() <= blockRows { // a service asks for one row at a time
		f.averageBlock(dst, x, seen, 0, x.Len())
		return ctx.Err()
	}
	par.For(threads, x.Len(), blockRows, func(lo, hi int) {
		if ctx.Err() == nil {
			f.averageBlock(dst, x, seen, lo, hi)
		}
	})
	return ctx.Err()
}

func (f *Forest) averageBlock(dst []float64, x data.Points[kernel.Vec], seen []*bitmap, lo, hi int) {
	k := f.outputs
	var used [blockRows]int
	var rows [blockRows]kernel.Vec
	for i := lo; i < hi; i++ {
		rows[i-lo] = x.At(i)
	}
	for t := range f.Trees() {
		for i := lo; i < hi; i++ {
			if seen != nil && seen[t].has(i) {
				continue
			}
			at := int(f.leaf(t, rows[i-lo])) * k
			row := dst[i*k : (i+1)*k]
			if used[i-lo]++; used[i-lo] == 1 {
				copy(row, f.values[at:at+k])
				continue
			}
			part := 1 / float64(used[i-lo]) // the mean by its differences: of equal numbers it is that number
			for o, v := range f.values[at : at+k] {
				row[o] += (v - row[o]) * part
			}
		}
	}
	for i := lo; i < hi; i++ {
		for o := i * k; used[i-lo] == 0 && o < (i+1)*k; o++ {
			dst[o] = math.NaN()
		}
	}
}

// bitmap is a set of rows.
type bitmap []uint64

func newBitmap(n int) *bitmap {
	b := make(bitmap, (n+63)/64)
	return &b
}

func (b *bitmap) add(i int)      { (*b)[i>>6] |= 1 << (i & 63) }
func (b *bitmap) has(i int) bool { return (*b)[i>>6]>>(i&63)&1 != 0 }
