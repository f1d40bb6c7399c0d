package linalg

import (
	"sync/atomic"
)

// divideLeaf is the size below which a tridiagonal block is solved by QL.
const divideLeaf = 32

// divideAndConquer finds eigenvalues and eigenvectors of a symmetric
// tridiagonal matrix by Cuppen's method: tear it in two by a rank-one change,
// solve the halves, and solve the rank-one update by its secular equation.
// Deflation and the stable computation of vectors follow Gu & Eisenstat (1995),
// the grouping of columns LAPACK's DLAED2/3 (Rutter 1994).
//
// Eigenvectors are rows of q throughout: permuting, rotating and copying them
// is contiguous, and the update is one Gemm for each half of the columns.
type divideAndConquer struct {
	crew   crew
	d, off []float64 // eigenvalues found so far; the off-diagonal, read only
	q      Matrix[float64]
	order  []int     // order[lo:hi] lists the rows of block [lo, hi) by ascending d, relative to lo
	secVec []float64 // n² numbers: a block [lo, hi) uses secVec[lo·n : hi·n]
	packed []float64 // likewise
	failed atomic.Int64
}

// tridiagonalEigen solves the matrix with the given diagonal (overwritten)
// and off-diagonal. The pairs that sel selects are returned in ascending
// order: vector i is row rows[i] of q, whose storage is borrowed. The numbers must be scaled to
// about 1.
func tridiagonalEigen(
	w crew, diag, off []float64, sel Selection,
) (values []float64, q Matrix[float64], rows []int, err error) {
	n := len(diag)
	store, secVec, packed := borrow[float64](n*n), borrow[float64](n*n), borrow[float64](n*n)
	defer giveBack(secVec)
	defer giveBack(packed)
	c := &divideAndConquer{
		crew: w, d: diag, off: off, q: Matrix[float64]{Rows: n, Cols: n, Stride: max(n, 1), Data: (*store)[:n*n]},
		order: make([]int, n), secVec: *secVec, packed: *packed,
	}
	c.failed.Store(-1)
	bounds := []int{0, n}
	for bounds[1] > divideLeaf { // blocks differ by at most one in size, the first is a smallest

		finer := []int{0}
		for i := 1; i < len(bounds); i++ {
			lo, hi := bounds[i-1], bounds[i]
			finer = append(finer, lo+(hi-lo)/2, hi)
		}
		bounds = finer
	}
	for _, b := range bounds[1 : len(bounds)-1] {
		rho := abs(off[b-1])
		c.d[b-1] -= rho
		c.d[b] -= rho
	}
	w.each(len(bounds)-1, 1, func(i, _ int) { c.leaf(bounds[i], bounds[i+1]) })
	var kept *selected
	for len(bounds) > 2 {
		if w.stopped() {
			return nil, Matrix[float64]{}, nil, w.ctx.Err()
		}
		merges := (len(bounds) - 1) / 2
		if merges == 1 {
			kept = c.merge(w, bounds[0], bounds[1], bounds[2], &sel)
		} else {
			some := w.share(merges)
			w.each(merges, 1, func(i, _ int) { c.merge(some, bounds[2*i], bounds[2*i+1], bounds[2*i+2], nil) })
		}
		coarser := bounds[:1]
		for i := 2; i < len(bounds); i += 2 {
			coarser = append(coarser, bounds[i])
		}
		bounds = coarser
	}
	if w.stopped() {
		return nil, Matrix[float64]{}, nil, w.ctx.Err()
	}
	if i := c.failed.Load(); i >= 0 {
		return nil, Matrix[float64]{}, nil, &NoConvergence{Algorithm: "symmetric tridiagonal eigensolver (divide and conquer)",
			Index: int(i), Iterations: secularSteps}
	}
	if kept == nil {
		kept = c.selectFrom(0, n, &sel)
	}
	return kept.values, c.q, kept.rows, nil
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// leaf solves the block [lo, hi) by QL.
func (c *divideAndConquer) leaf(lo, hi int) {
	n := hi - lo
	e := make([]float64, n)
	copy(e, c.off[lo:max(hi-1, lo)])
	block := c.q.Slice(lo, hi, lo, hi)
	for i := range n {
		clear(block.Row(i))
		block.Set(i, i, 1)
		c.order[lo+i] = i
	}
	if i := implicitQL(crew{}, c.d[lo:hi], e, block); i >= 0 {
		c.failed.Store(int64(lo + i))
	}
}
