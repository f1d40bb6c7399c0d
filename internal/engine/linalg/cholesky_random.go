package linalg

import (
	"context"
	"math"
	"math/rand/v2"
)

// randomBlock is how many pivots are proposed at a time.
const randomBlock = 64

// NewRandomCholesky is the factorisation of NewPivotedCholeskyFrom with pivots drawn in proportion
// to the remaining diagonal (RPCholesky; Chen, Epperly, Tropp and Webber 2022): near the best error
// of its rank on average, and not drawn to outliers as the largest entry is. Pivots are proposed in
// blocks and each is taken with the probability that the diagonal has left to it, which has the
// same distribution and needs products of matrices only (Epperly, Tropp and Webber 2024,
// accelerated RPCholesky). columns(dst, index) must set column j of dst to column index[j].
func NewRandomCholesky(
	ctx context.Context, t int, diag []float64, columns func(dst Matrix[float64], index []int) error, o PivotedOptions,
	rng *rand.Rand,
) (*PivotedCholesky, error) {
	n := len(diag)
	res, err := newResidualDiagonal(append([]float64(nil), diag...), o)
	if err != nil {
		return nil, err
	}
	p := &PivotedCholesky{Trace: res.trace}
	l := New[float64](n, min(randomBlock, res.maxRank))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, sum, err := res.next(res.d, 0)
		if err != nil {
			return nil, err
		}
		p.Residual = sum
		rank := len(p.Pivots)
		if at < 0 || rank >= res.maxRank {
			break
		}
		proposed := propose(rng, res.d, res.floor, randomBlock)
		taken, small := acceptPivots(rng, l.Slice(0, n, 0, rank), res, proposed, columns, res.maxRank-rank, t)
		if taken.err != nil {
			return nil, taken.err
		}
		b := len(taken.rows)
		if rank+b > l.Cols {
			wider := New[float64](n, min(max(2*l.Cols, rank+b), res.maxRank))
			wider.Slice(0, n, 0, rank).CopyFrom(l.Slice(0, n, 0, rank))
			l = wider
		}
		// The residual columns of those taken, times L⁻ᵀ of their own block.
		next := l.Slice(0, n, rank, rank+b)
		next.CopyFrom(taken.columns)
		Trsm(t, Right, Lower, Trans, NonUnit, 1, small, next)
		for _, i := range p.Pivots { // zero but for rounding
			clear(next.Row(i))
		}
		for a, i := range taken.rows {
			copy(next.Row(i), small.Row(a))
			clear(next.Row(i)[a+1:])
		}
		for i := range n {
			for _, v := range next.Row(i) {
				res.d[i] -= v * v
			}
			if res.d[i] < 0 && res.d[i] > -64*res.floor { // rounding: the points are in the span
				res.d[i] = 0
			}
		}
		p.Pivots = append(p.Pivots, taken.rows...)
		for _, i := range p.Pivots {
			res.d[i] = 0
		}
	}
	p.L = l.Slice(0, n, 0, len(p.Pivots))
	return p, nil
}

// propose draws count rows with replacement, in proportion to what is above the floor.
func propose(rng *rand.Rand, d []float64, floor float64, count int) []int {
	total := 0.0
	upTo := make([]float64, len(d))
	for i, v := range d {
		if v > floor {
			total += v
		}
		upTo[i] = total
	}
	out := make([]int, count)
	for a := range out {
		u := rng.Float64() * total
		lo, hi := 0, len(d)-1
		for lo < hi {
			if mid := (lo + hi) / 2; upTo[mid] > u {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		out[a] = lo
	}
	return out
}

// pivots are those taken of a block, with their columns of A - L·Lᵀ.
type pivots struct {
	rows    []int
	columns Matrix[float64]
	err     error
}

// acceptPivots goes through the rows proposed: each is taken with probability d'/d, d being its
// diagonal entry when it was proposed and d' what those taken before it have left. small is the
// Cholesky factor of the residual at those taken.
func acceptPivots(
	rng *rand.Rand, l Matrix[float64], res *residualDiagonal, proposed []int, columns func(Matrix[float64], []int) error,
	most, t int,
) (pivots, Matrix[float64]) {
	n, count := l.Rows, len(proposed)
	c := New[float64](n, count)
	if err := columns(c, proposed); err != nil {
		return pivots{err: err}, c
	}
	for a, j := range proposed {
		for i := range n {
			if v := c.At(i, a); math.IsNaN(v) || math.IsInf(v, 0) {
				return pivots{err: &NotFinite{Row: i, Col: j, Value: v}}, c
			}
		}
	}
	at := New[float64](count, l.Cols)
	for a, i := range proposed {
		copy(at.Row(a), l.Row(i))
	}
	if l.Cols > 0 {
		Gemm(t, NoTrans, Trans, -1, l, at, 1, c)
	}
	// h is the residual block, eliminated as rows are taken.
	h := New[float64](count, count)
	for a, i := range proposed {
		copy(h.Row(a), c.Row(i))
	}
	small, rows, places := New[float64](count, count), []int{}, []int{}
	for a, i := range proposed {
		u := rng.Float64()
		if left := h.At(a, a); len(rows) < most && u*res.d[i] < left && left > res.floor {
			root := math.Sqrt(left)
			q := len(rows)
			for b := range count {
				small.Set(b, q, h.At(b, a)/root)
			}
			for b := range count {
				for e := range count {
					h.Row(b)[e] -= small.At(b, q) * small.At(e, q)
				}
			}
			rows, places = append(rows, i), append(places, a)
		}
	}
	taken := pivots{rows: rows, columns: New[float64](n, len(rows))}
	for i := range n {
		for q, a := range places {
			taken.columns.Set(i, q, c.At(i, a))
		}
	}
	factor := New[float64](len(rows), len(rows))
	for q, a := range places {
		copy(factor.Row(q)[:q+1], small.Row(a)[:q+1])
	}
	return taken, factor
}
