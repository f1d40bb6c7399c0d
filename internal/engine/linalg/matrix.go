// Package linalg is mercer's dense and sparse linear algebra: level-3
// products, factorisations, eigenvalues, operators and sparse rows.
//
// Everything works on row-major storage that is shared with gonum: Of views a
// *mat.Dense as a Matrix without copying. float32 is served by the same
// generic code. Every routine takes a int bound, and gives the same bits
// whatever it is.
package linalg

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Float is the element type of a Matrix.
type Float interface{ float32 | float64 }

// Matrix is a row-major view: element (i, j) is Data[i*Stride+j]. It has the same fields as
// gonum's blas64.General, and converts to it.
type Matrix[F Float] struct {
	Rows, Cols int
	Data       []F
	Stride     int
}

// New returns an r×c matrix of zeros.
func New[F Float](r, c int) Matrix[F] {
	m := Matrix[F]{Rows: r, Cols: c, Data: make([]F, r*c), Stride: max(c, 1)}
	adviseHuge(m.Data)
	return m
}

// Of views the storage of m; writes go to m.
func Of(m *mat.Dense) Matrix[float64] {
	return Matrix[float64](m.RawMatrix())
}

// Of32 views the storage of a single-precision matrix, whose fields stand in another order.
func Of32(m blas32.General) Matrix[float32] {
	return Matrix[float32]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.Stride}
}

// General32 views the storage of m as gonum's.
func General32(m Matrix[float32]) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.Stride}
}

// Dense views the storage of m as a gonum matrix; writes go to m. gonum has no
// matrices with a zero dimension: for those the result is an empty Dense.
func Dense(m Matrix[float64]) *mat.Dense {
	d := new(mat.Dense)
	if m.Rows > 0 && m.Cols > 0 {
		d.SetRawMatrix(blas64.General(m))
	}
	return d
}

// At returns element (i, j).
func (m Matrix[F]) At(i, j int) F { return m.Data[i*m.Stride+j] }

// Set stores v at (i, j).
func (m Matrix[F]) Set(i, j int, v F) { m.Data[i*m.Stride+j] = v }

// Row views row i.
func (m Matrix[F]) Row(i int) []F {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
}

// Slice views rows [i0, i1) and columns [j0, j1).
func (m Matrix[F]) Slice(i0, i1, j0, j1 int) Matrix[F] {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		badSlice(i0, i1, j0, j1, m.Rows, m.Cols)
	}
	s := Matrix[F]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if s.Rows > 0 && s.Cols > 0 {
		lo := i0*m.Stride + j0
		hi := (i1-1)*m.Stride + j1
		s.Data = m.Data[lo:hi:hi]
	}
	return s
}

// What a programmer did wrong is said by functions of their own, so that the many who slice and
// copy do not compile it again.

//go:noinline
func badSlice(i0, i1, j0, j1, rows, cols int) {
	panic(fmt.Sprintf("linalg: slice [%d:%d, %d:%d] of a %d×%d matrix", i0, i1, j0, j1, rows, cols))
}

//go:noinline
func badCopy(fromRows, fromCols, rows, cols int) {
	panic(fmt.Sprintf("linalg: copy of %d×%d into %d×%d", fromRows, fromCols, rows, cols))
}

// Clone copies m into fresh, tightly packed storage.
func (m Matrix[F]) Clone() Matrix[F] {
	c := Unset[F](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// CopyFrom copies src, of the same shape, into m.
func (m Matrix[F]) CopyFrom(src Matrix[F]) {
	if m.Rows != src.Rows || m.Cols != src.Cols {
		badCopy(src.Rows, src.Cols, m.Rows, m.Cols)
	}
	for i := range m.Rows {
		copy(m.Row(i), src.Row(i))
	}
}
