package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Tolerance is a promise about a sum S: |computed - S| ≤ relative·S + absolute,
// beyond the rounding of the terms. The absolute part is given by its log.
type Tolerance struct {
	Relative    float64
	LogAbsolute float64 // -Inf for none
}

// queryLeaf is the number of queries that walk the tree together.
const queryLeaf = 16

// LogSums sets dst[i] = log Σ at row i of q by walking the tree (Gray and Moore
// 2003): nodes whose every term is known well enough from its distance bounds
// are taken as a whole or skipped, the rest is summed term by term. Queries go
// in blocks of near ones, which makes the walk a small part of the work.
//
// The budget. Let s ≤ S be the sum over the node nearest to the block, and W
// the sum of all weights. A node of weight w is settled at c·w when the terms
// lie in c ± t with t = (relative·s + absolute)/W; all settled nodes together
// are then off by no more than Σ w·t ≤ relative·S + absolute.
func (k *Sum) LogSums(ctx context.Context, t int, dst []float64, q linalg.Matrix[float64], tol Tolerance) error {
	blocks := NewTree(q, queryLeaf)
	var leaves []int
	for i, n := range blocks.nodes {
		if n.leaf() {
			leaves = append(leaves, i)
		}
	}
	par.For(t, len(leaves), 1, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		w := &treeWalk{k: k, blocks: blocks, tol: tol, point: make([]float64, q.Cols)}
		for _, leaf := range leaves[lo:hi] {
			w.block(leaf, dst)
		}
	})
	return ctx.Err()
}

// treeWalk evaluates one block of queries.
type treeWalk struct {
	k         *Sum
	blocks    *Tree
	tol       Tolerance
	room      Room
	point     []float64
	low, high []float64 // box of the block
	threshold float64   // t, how far a settled term may be off
	logTerm   float64   // log t
	leaves    []int     // nodes to sum term by term
	reach     float64   // distance beyond which every term is below t
	ranges    []span    // the leaves in reach of one query, joined
	settled   float64   // the sum over settled nodes
	start     int       // the node the block begins with
	sums      []float64 // for each query of the block
	panel     gaussPanel
}

type span struct{ lo, hi int }

func (w *treeWalk) block(leaf int, dst []float64) {
	k := w.k
	n := w.blocks.nodes[leaf]
	w.low, w.high = w.blocks.box(leaf)
	w.start = w.nearest()
	least := w.sumStart(n)
	absolute := math.Exp(w.tol.LogAbsolute)
	if least < Tiny*k.Total && k.Kernel.Support() > 1 && absolute < Tiny*k.Total {
		for p := n.lo; p < n.hi; p++ {
			w.blocks.Point(w.point, p)
			dst[w.blocks.Index[p]] = k.logBrute(&w.room, w.point)
		}
		return
	}
	w.threshold = (w.tol.Relative*least + absolute) / k.Total
	w.logTerm = math.Log(w.threshold)
	w.leaves, w.settled = w.leaves[:0], 0
	w.reach = w.k.Kernel.reach(w.logTerm)
	w.visit(0)
	w.sumLeaves(n)
	for p := n.lo; p < n.hi; p++ {
		dst[w.blocks.Index[p]] = math.Log(w.sums[p-n.lo] + w.settled)
	}
}

// sumStart sums over the starting node for each query of the block, and returns
// the least of these.
func (w *treeWalk) sumStart(n treeNode) float64 {
	k := w.k
	near := k.Tree.nodes[w.start]
	if k.canFuse() {
		w.panel.reset(k.fused, n.hi-n.lo, func(i, j int) float64 { return w.blocks.cols[j][n.lo+i] })
		w.panel.add(near.lo, near.hi)
		w.sums = w.panel.sums
		return w.panel.least()
	}
	least := math.Inf(1)
	w.sums = w.sums[:0]
	for p := n.lo; p < n.hi; p++ {
		w.blocks.Point(w.point, p)
		s := k.over(&w.room, w.point, near.lo, near.hi)
		w.sums = append(w.sums, s)
		least = min(least, s)
	}
	return least
}

// sumLeaves adds what visit left to be summed term by term.
func (w *treeWalk) sumLeaves(n treeNode) {
	k := w.k
	if k.canFuse() {
		for _, r := range w.joined(func(int) bool { return true }) {
			w.panel.add(r.lo, r.hi)
		}
		return
	}
	for p := n.lo; p < n.hi; p++ {
		w.blocks.Point(w.point, p)
		for _, r := range w.joined(w.inReach) {
			w.sums[p-n.lo] += k.over(&w.room, w.point, r.lo, r.hi)
		}
	}
}

// StartSize is the number of points of the node a block begins with: enough to
// be a good part of the sum, which widens the budget of all others.
const StartSize = 1024

// nearest goes down the tree to the side nearer to the block.
func (w *treeWalk) nearest() int {
	at := 0
	for !w.k.Tree.nodes[at].leaf() {
		n := w.k.Tree.nodes[at]
		if n.hi-n.lo <= StartSize {
			break
		}
		at = n.left
		if w.centreGap(n.right) < w.centreGap(n.left) {
			at = n.right
		}
	}
	return at
}

// centreGap is the squared distance of the block's centre from a node's.
func (w *treeWalk) centreGap(node int) float64 {
	low, high := w.k.Tree.box(node)
	s := 0.0
	for j := range low {
		d := (w.low[j] + w.high[j]) - (low[j] + high[j])
		s += d * d
	}
	return s
}

func (w *treeWalk) visit(node int) {
	k := w.k
	if node == w.start {
		return // summed already
	}
	n := k.Tree.nodes[node]
	above, below := w.bounds(node)
	if above <= w.logTerm { // also where both are -Inf: a compact kernel out of reach
		return
	}
	if high, low := math.Exp(above), math.Exp(below); high-low <= 2*w.threshold {
		mass := k.mass[node]
		if start := k.Tree.nodes[w.start]; n.lo <= start.lo && start.hi <= n.hi {
			mass -= k.mass[w.start] // summed already
		}
		w.settled += mass * (low + (high-low)/2)
		return
	}
	if n.leaf() {
		w.leaves = append(w.leaves, node)
		return
	}
	w.visit(n.left)
	w.visit(n.right)
}

// inReach says whether the query at w.point reaches a leaf: the block's box is
// wider than the query, and a look at a leaf costs less than its terms.
func (w *treeWalk) inReach(node int) bool {
	reach := w.reach
	if w.k.inverse != nil {
		reach *= w.k.wide[node]
	}
	return w.k.Tree.gap(node, w.point) <= reach*reach
}

// joined is the leaves to sum that pass a test, neighbours made one.
func (w *treeWalk) joined(test func(node int) bool) []span {
	w.ranges = w.ranges[:0]
	for _, node := range w.leaves {
		if !test(node) {
			continue
		}
		n := w.k.Tree.nodes[node]
		if r := len(w.ranges); r > 0 && w.ranges[r-1].hi == n.lo {
			w.ranges[r-1].hi = n.hi
		} else {
			w.ranges = append(w.ranges, span{n.lo, n.hi})
		}
	}
	return w.ranges
}

// reach is a distance at which the log of the shape, radial or product, is at
// most logTerm.
func (s Kernel) reach(logTerm float64) float64 {
	switch {
	case s.Support() == 1:
		return math.Inf(1) // decided by visit, as the product form reaches √d
	case s == Gaussian:
		return math.Sqrt(max(0, -2*logTerm))
	case s == Exponential:
		return max(0, -logTerm) // ‖u‖₁ ≥ ‖u‖₂, so also in product form
	}
	return math.Inf(1)
}

// bounds are the logs of the largest and least shape between a query of the
// block and a point of the node.
func (w *treeWalk) bounds(node int) (above, below float64) {
	k := w.k
	low, high := k.Tree.box(node)
	narrow, wide := 1.0, 1.0
	if k.inverse != nil {
		narrow, wide = k.narrow[node], k.wide[node]
	}
	near2, far2 := 0.0, 0.0
	for j := range low {
		near := max(low[j]-w.high[j], w.low[j]-high[j], 0) / wide
		far := max(high[j]-w.low[j], w.high[j]-low[j]) / narrow
		if k.product {
			above += k.Kernel.logShape(near)
			below += k.Kernel.logShape(far)
		}
		near2 += near * near
		far2 += far * far
	}
	if !k.product {
		above, below = k.Kernel.logShape(math.Sqrt(near2)), k.Kernel.logShape(math.Sqrt(far2))
	}
	return above, below
}
