package smoothing

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Tolerance is a promise about a sum S: |computed - S| ≤ relative·S + absolute,
// beyond the rounding of the terms. The absolute part is given by its log.
type Tolerance struct {
	Relative    float64
	LogAbsolute float64 // -Inf for none
}

// queryBlock is the most queries of a cell that one goroutine takes at a time.
const queryBlock = 256

// cellSide is the side of the cells of space whose queries walk the tree together, in bandwidths: a
// power of two, so that the bounds of a cell are exact. The more columns, the fewer queries would
// share a cell.
func cellSide(columns int) float64 {
	if columns <= 3 {
		return 2
	}
	return 4
}

// LogSums sets dst[i] = log Σ at row i of q by walking the tree (Gray and Moore 2003): nodes whose
// every term is known well enough from its distance bounds are taken as a whole or skipped, the
// rest is summed term by term. Queries of one cell of space walk together, which makes the walk a
// small part of the work. What is settled for a cell holds for every point of it, and is found from
// the cell alone: a query has the same bits whatever other queries there are.
//
// The budget. Let s ≤ S be what the node nearest to the cell adds at the least, anywhere in the
// cell, and W the sum of all weights. A node of weight w is settled at c·w when the terms lie in c
// ± t with t = (relative·s + absolute)/W; all settled nodes together are then off by no more than Σ
// w·t ≤ relative·S + absolute.
func (k *Sum) LogSums(ctx context.Context, t int, dst []float64, q linalg.Matrix[float64], tol Tolerance) error {
	cells := cellsOf(q)
	par.For(t, len(cells), 1, func(lo, hi int) {
		w := &treeWalk{k: k, q: q, tol: tol, low: make([]float64, q.Cols), high: make([]float64, q.Cols)}
		for _, queries := range cells[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			w.cell(queries, dst)
		}
	})
	return ctx.Err()
}

// cellsOf lists the queries of each cell, at most queryBlock together.
func cellsOf(q linalg.Matrix[float64]) [][]int {
	side := cellSide(q.Cols)
	cell := linalg.New[float64](q.Rows, q.Cols)
	order := make([]int, q.Rows)
	for i := range order {
		order[i] = i
		for j, v := range q.Row(i) {
			cell.Set(i, j, math.Floor(v/side))
		}
	}
	compare := func(a, b int) int { return slices.Compare(cell.Row(a), cell.Row(b)) }
	slices.SortStableFunc(order, compare)
	var out [][]int
	start := 0
	for i := range order {
		if i+1 == len(order) || compare(order[i], order[i+1]) != 0 || i+1-start == queryBlock {
			out = append(out, order[start:i+1])
			start = i + 1
		}
	}
	return out
}

// treeWalk evaluates the queries of one cell.
type treeWalk struct {
	k         *Sum
	q         linalg.Matrix[float64]
	tol       Tolerance
	room      Room
	point     []float64
	low, high []float64 // the cell
	threshold float64   // t, how far a settled term may be off
	logTerm   float64   // log t
	leaves    []int     // nodes to sum term by term
	reach     float64   // distance beyond which every term is below t
	ranges    []span    // the leaves in reach of one query, joined
	settled   float64   // the sum over settled nodes
	start     int       // the node the walk begins with
	panel     gaussPanel
}

type span struct{ lo, hi int }

func (w *treeWalk) cell(queries []int, dst []float64) {
	k := w.k
	side := cellSide(w.q.Cols)
	for j, v := range w.q.Row(queries[0]) {
		w.low[j] = math.Floor(v/side) * side
		w.high[j] = w.low[j] + side
	}
	w.start = w.nearest()
	near := k.Tree.nodes[w.start]
	least := k.leastOver(&w.room, w.low, w.high, near.lo, near.hi)
	absolute := math.Exp(w.tol.LogAbsolute)
	if least < Tiny*k.Total && k.Kernel.Support() > 1 && absolute < Tiny*k.Total {
		for _, i := range queries {
			dst[i] = k.logBrute(&w.room, w.q.Row(i))
		}
		return
	}
	w.threshold = (w.tol.Relative*least + absolute) / k.Total
	w.logTerm = math.Log(w.threshold)
	w.leaves, w.settled = w.leaves[:0], 0
	w.reach = w.k.Kernel.reach(w.logTerm)
	w.visit(0)
	if k.canFuse() {
		w.sumFused(queries, dst)
		return
	}
	for _, i := range queries {
		w.point = w.q.Row(i)
		sum := k.over(&w.room, w.point, near.lo, near.hi)
		for _, r := range w.joined(w.inReach) {
			sum += k.over(&w.room, w.point, r.lo, r.hi)
		}
		dst[i] = math.Log(sum + w.settled)
	}
}

// sumFused sums the starting node and what visit left to be summed term by term, for all queries
// together.
func (w *treeWalk) sumFused(queries []int, dst []float64) {
	near := w.k.Tree.nodes[w.start]
	w.panel.reset(w.k.fused, len(queries), func(i, j int) float64 { return w.q.At(queries[i], j) })
	w.panel.add(near.lo, near.hi)
	for _, r := range w.joined(func(int) bool { return true }) {
		w.panel.add(r.lo, r.hi)
	}
	for i, s := range w.panel.sums[:len(queries)] {
		dst[queries[i]] = math.Log(s + w.settled)
	}
}

// leastOver is what the places [lo, hi) add at the least to the sum of a query between low and
// high: each as if the query were in the corner farthest from it.
func (k *Sum) leastOver(room *Room, low, high []float64, lo, hi int) float64 {
	sum := 0.0
	for a := lo; a < hi; a += rowLength {
		b := min(a+rowLength, hi)
		row, more := room.row[:b-a], room.more[:b-a]
		clear(row)
		for j := range low {
			for i, z := range k.Tree.cols[j][a:b] {
				far := max(z-low[j], high[j]-z)
				if k.inverse != nil {
					far *= k.inverse[a+i]
				}
				more[i] = far * far
			}
			switch {
			case !k.product:
				simd.Axpy64(1, more, row)
			case j == 0:
				k.Kernel.profile(more)
				copy(row, more)
			default:
				k.Kernel.profile(more)
				for i, m := range more {
					row[i] *= m
				}
			}
		}
		if !k.product {
			k.Kernel.profile(row)
		}
		if k.Weight == nil {
			sum += simd.Asum64(row)
		} else {
			sum += simd.Dot64(row, k.Weight[a:b])
		}
	}
	return sum
}

// StartSize is the number of points of the node a walk begins with: enough to
// be a good part of the sum, which widens the budget of all others.
const StartSize = 1024

// nearest goes down the tree to the side nearer to the cell.
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

// centreGap is the squared distance of the cell's centre from a node's.
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

// inReach says whether the query at w.point reaches a leaf: the cell is
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
// cell and a point of the node.
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
