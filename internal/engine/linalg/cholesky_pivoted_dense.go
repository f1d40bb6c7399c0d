package linalg

import (
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// pivotedBlock is the number of pivots between two updates of the trailing
// matrix.
const pivotedBlock = 64

// NewPivotedCholesky factorises the positive semidefinite matrix whose lower
// triangle is in a, overwriting that triangle. Within a block of columns only
// the diagonal is kept up to date, which is all that the choice of a pivot
// needs; the rest is updated by one symmetric product a block (Lucas, LAPACK
// working note 161, 2004). Errors are as in NewPivotedCholeskyFrom.
func NewPivotedCholesky(t int, a Matrix[float64], o PivotedOptions) (*PivotedCholesky, error) {
	return newPivotedCholesky(crew{threads: t}, a, o)
}

func newPivotedCholesky(w crew, a Matrix[float64], o PivotedOptions) (*PivotedCholesky, error) {
	mustBeSquare("pivoted Cholesky", a)
	n := a.Rows
	diag := make([]float64, n)
	perm := make([]int, n)
	for i := range n {
		perm[i] = i
		diag[i] = a.At(i, i)
		for j, v := range a.Row(i)[:i] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &NotFinite{Row: i, Col: j, Value: v}
			}
		}
	}
	res, err := newResidualDiagonal(diag, o)
	if err != nil {
		return nil, err
	}
	p := &PivotedCholesky{Trace: res.trace}
	rank := 0
	for done := false; !done; {
		start := rank
		for ; rank < min(start+pivotedBlock, n); rank++ {
			if w.stopped() {
				return nil, w.ctx.Err()
			}
			at, sum, err := res.next(diag, rank)
			if err != nil {
				var npd *NotPositiveDefinite
				if errors.As(err, &npd) {
					npd.Pivot = perm[npd.Pivot] // name the row of the matrix given
				}
				return nil, err
			}
			p.Residual = sum
			if at < 0 || rank == res.maxRank {
				done = true
				break
			}
			swapSymmetric(a, rank, at)
			diag[rank], diag[at] = diag[at], diag[rank]
			perm[rank], perm[at] = perm[at], perm[rank]
			j, root := rank, math.Sqrt(diag[rank])
			a.Set(j, j, root)
			pivotRow := a.Row(j)[start:j]
			w.each(n-j-1, 512, func(lo, hi int) {
				for i := j + 1 + lo; i < j+1+hi; i++ {
					row := a.Row(i)
					v := (row[j] - simd.Dot(row[start:j], pivotRow)) / root
					row[j] = v
					diag[i] -= v * v
				}
			})
		}
		if rank == n {
			p.Residual = 0
			break
		}
		if !done {
			below := a.Slice(rank, n, start, rank)
			syrk(w, Lower, NoTrans, -1, below, 1, a.Slice(rank, n, rank, n))
		}
	}
	p.Pivots = perm[:rank:rank]
	p.L = New[float64](n, rank)
	for i := range n {
		copy(p.L.Row(perm[i]), a.Row(i)[:min(i+1, rank)])
	}
	return p, nil
}

// swapSymmetric exchanges rows and columns i < k of the symmetric matrix whose
// lower triangle is in a; columns before i, which hold a factor, move with
// their rows.
func swapSymmetric(a Matrix[float64], i, k int) {
	if i == k {
		return
	}
	ri, rk := a.Row(i), a.Row(k)
	ri[i], rk[k] = rk[k], ri[i]
	for j := range i {
		ri[j], rk[j] = rk[j], ri[j]
	}
	for j := i + 1; j < k; j++ {
		rj := a.Row(j)
		rj[i], rk[j] = rk[j], rj[i]
	}
	for j := k + 1; j < a.Rows; j++ {
		rj := a.Row(j)
		rj[i], rj[k] = rj[k], rj[i]
	}
}
