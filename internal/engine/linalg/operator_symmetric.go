package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"gonum.org/v1/gonum/mat"
)

// SymmetricOp is the symmetric matrix whose lower triangle is in A; the
// strict upper triangle is not read.
type SymmetricOp struct {
	A       Matrix[float64]
	Threads int
}

// Dims implements Operator.
func (o SymmetricOp) Dims() (r, c int) {
	mustBeSquare("symmetric operator", o.A)
	return o.A.Rows, o.A.Cols
}

// fewColumns is the number of columns up to which a symmetric product is
// bounded by reading the matrix, so that reading it once pays.
const fewColumns = 4

// MulTo implements Operator.
func (o SymmetricOp) MulTo(dst, v *mat.Dense, trans bool) {
	d, x := operands(o, dst, v, trans)
	switch {
	case d.Rows == 0 || d.Cols == 0:
	case d.Cols <= fewColumns:
		o.readOnce(d, x)
	default:
		o.byBlocks(d, x)
	}
}

// readOnce uses each row of the triangle for its own entry (a dot product)
// and for those above (an axpy). The axpys of one piece of rows go to its own
// vector; the pieces, cut by position at equal areas, are added in order.
func (o SymmetricOp) readOnce(d, x Matrix[float64]) {
	const pieces = 8
	n := d.Rows
	cut := func(p int) int { return int(float64(n) * math.Sqrt(float64(p)/pieces)) }
	columns := New[float64](x.Cols, n) // contiguous columns of x
	for i := range n {
		for j, v := range x.Row(i) {
			columns.Set(j, i, v)
		}
	}
	own := New[float64](x.Cols, n)
	above := make([]Matrix[float64], pieces)
	par.For(o.Threads, pieces, 1, func(p, _ int) {
		lo, hi := cut(p), cut(p+1)
		if p == pieces-1 {
			hi = n
		}
		above[p] = New[float64](x.Cols, hi)
		for i := lo; i < hi; i++ {
			row := o.A.Row(i)[:i]
			for j := range x.Cols {
				c := columns.Row(j)
				own.Set(j, i, simd.Dot(row, c[:i])+o.A.At(i, i)*c[i])
				simd.Axpy(c[i], row, above[p].Row(j)[:i])
			}
		}
	})
	for j := range x.Cols {
		y := own.Row(j)
		for _, part := range above {
			simd.Axpy(1, part.Row(j), y[:part.Cols])
		}
		for i, v := range y {
			d.Set(i, j, v)
		}
	}
}

// byBlocks gives every block of rows of the result its products with the
// blocks to the left, the mirrored diagonal block, and the blocks below
// transposed.
func (o SymmetricOp) byBlocks(d, x Matrix[float64]) {
	const block = 256
	n, k := d.Rows, d.Cols
	par.For(o.Threads, n, block, func(lo, hi int) {
		di := d.Slice(lo, hi, 0, k)
		diagonal := o.A.Slice(lo, hi, lo, hi).Clone()
		MirrorLower(1, diagonal)
		Gemm(1, NoTrans, NoTrans, 1, diagonal, x.Slice(lo, hi, 0, k), 0, di)
		if lo > 0 {
			Gemm(1, NoTrans, NoTrans, 1, o.A.Slice(lo, hi, 0, lo), x.Slice(0, lo, 0, k), 1, di)
		}
		if hi < n {
			Gemm(1, Trans, NoTrans, 1, o.A.Slice(hi, n, lo, hi), x.Slice(hi, n, 0, k), 1, di)
		}
	})
}
