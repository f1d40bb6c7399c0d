package linalg

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/simd"
	"gonum.org/v1/gonum/mat"
)

// Operator is a linear map known by its action on several columns at once.
// gram.Gram satisfies it.
type Operator interface {
	Dims() (r, c int)
	// MulTo sets dst = A·v, or Aᵀ·v when trans; dst is already of that shape
	// and shares no memory with v.
	MulTo(dst, v *mat.Dense, trans bool)
}

// operands checks the shapes of a product with o and views its operands.
func operands(o Operator, dst, v *mat.Dense, trans bool) (d, x Matrix[float64]) {
	r, c := o.Dims()
	if trans {
		r, c = c, r
	}
	d, x = Of(dst), Of(v)
	if d.Rows != r || x.Rows != c || d.Cols != x.Cols {
		panic(fmt.Sprintf("linalg: %d×%d operator (as used) applied to %d×%d into %d×%d", r, c, x.Rows, x.Cols, d.Rows,
			d.Cols))
	}
	return d, x
}

// DenseOp is a matrix as an Operator.
type DenseOp struct {
	A       Matrix[float64]
	Threads int
}

// Dims implements Operator.
func (o DenseOp) Dims() (r, c int) { return o.A.Rows, o.A.Cols }

// MulTo implements Operator.
func (o DenseOp) MulTo(dst, v *mat.Dense, trans bool) {
	d, x := operands(o, dst, v, trans)
	Gemm(o.Threads, Op(trans), NoTrans, 1, o.A, x, 0, d)
}

// ScaledOp is Alpha·Op.
type ScaledOp struct {
	Alpha float64
	Op    Operator
}

// Dims implements Operator.
func (o ScaledOp) Dims() (r, c int) { return o.Op.Dims() }

// MulTo implements Operator.
func (o ScaledOp) MulTo(dst, v *mat.Dense, trans bool) {
	d, _ := operands(o, dst, v, trans)
	o.Op.MulTo(dst, v, trans)
	for i := range d.Rows {
		row := d.Row(i)
		for j := range row {
			row[j] *= o.Alpha
		}
	}
}

// SumOp is the sum of operators of one shape, at least one of them.
type SumOp []Operator

// Dims implements Operator; it panics when the shapes differ.
func (o SumOp) Dims() (r, c int) {
	if len(o) == 0 {
		panic("linalg: a sum of no operators has no shape")
	}
	r, c = o[0].Dims()
	for i, p := range o[1:] {
		if pr, pc := p.Dims(); pr != r || pc != c {
			panic(fmt.Sprintf("linalg: sum of operators: term %d is %d×%d, term 0 is %d×%d", i+1, pr, pc, r, c))
		}
	}
	return r, c
}

// MulTo implements Operator.
func (o SumOp) MulTo(dst, v *mat.Dense, trans bool) {
	d, _ := operands(o, dst, v, trans)
	o[0].MulTo(dst, v, trans)
	if len(o) == 1 || d.Rows == 0 || d.Cols == 0 {
		return
	}
	term := New[float64](d.Rows, d.Cols)
	for _, p := range o[1:] {
		p.MulTo(Dense(term), v, trans)
		for i := range d.Rows {
			simd.Axpy(1, term.Row(i), d.Row(i))
		}
	}
}

// LowRankPlusDiagonal is U·Vᵀ + diag(D), n×n; V with no rows means V = U, and
// a nil D none.
type LowRankPlusDiagonal struct {
	U, V    Matrix[float64] // n×r
	D       []float64
	Threads int
}

// Dims implements Operator.
func (o LowRankPlusDiagonal) Dims() (r, c int) {
	if o.V.Rows > 0 && (o.V.Rows != o.U.Rows || o.V.Cols != o.U.Cols) {
		panic(fmt.Sprintf("linalg: low rank plus diagonal: U is %d×%d, V is %d×%d", o.U.Rows, o.U.Cols, o.V.Rows, o.V.Cols))
	}
	if o.D != nil && len(o.D) != o.U.Rows {
		panic(fmt.Sprintf("linalg: low rank plus diagonal: U has %d rows, D has %d entries", o.U.Rows, len(o.D)))
	}
	return o.U.Rows, o.U.Rows
}

// MulTo implements Operator.
func (o LowRankPlusDiagonal) MulTo(dst, v *mat.Dense, trans bool) {
	d, x := operands(o, dst, v, trans)
	left, right := o.U, o.V
	if right.Rows == 0 {
		right = left
	}
	if trans {
		left, right = right, left
	}
	for i := range d.Rows {
		row := d.Row(i)
		clear(row)
		if o.D != nil {
			simd.Axpy(o.D[i], x.Row(i), row)
		}
	}
	if left.Cols == 0 || d.Rows == 0 || d.Cols == 0 {
		return
	}
	inner := New[float64](right.Cols, x.Cols)
	Gemm(o.Threads, Trans, NoTrans, 1, right, x, 0, inner)
	Gemm(o.Threads, NoTrans, NoTrans, 1, left, inner, 1, d)
}

var (
	_ Operator = DenseOp{}
	_ Operator = SymmetricOp{}
	_ Operator = ScaledOp{}
	_ Operator = SumOp{}
	_ Operator = LowRankPlusDiagonal{}
)
