package data

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// DenseRows is the rows of a matrix as Points.
type DenseRows struct {
	m linalg.Matrix[float64]
}

// Rows is the rows of m as points: a view of a *mat.Dense, a copy of any other matrix (a
// transpose, a symmetric matrix).
func Rows(m mat.Matrix) DenseRows {
	if raw, ok := m.(mat.RawMatrixer); ok {
		return RowsOf(raw.RawMatrix())
	}
	r, c := m.Dims()
	rows := linalg.New[float64](r, c)
	for i := range r {
		row := rows.Row(i)
		for j := range row {
			row[j] = m.At(i, j)
		}
	}
	return DenseRows{rows}
}

// General is a row-major matrix in plain storage: gonum's blas64.General, or any type of its shape.
type General interface {
	~struct {
		Rows, Cols int
		Data       []float64
		Stride     int
	}
}

// RowsOf views the rows of m as points; nothing is copied. Unlike a mat.Dense it
// may have no rows or no columns.
func RowsOf[M General](m M) DenseRows { return DenseRows{linalg.Matrix[float64](m)} }

// Line is numbers as points with one coordinate each.
func Line(x []float64) DenseRows {
	return DenseRows{linalg.Matrix[float64]{Rows: len(x), Cols: 1, Stride: 1, Data: x}}
}

// Len returns the number of rows.
func (r DenseRows) Len() int { return r.m.Rows }

// At views row i.
func (r DenseRows) At(i int) []float64 { return r.m.Row(i) }

// Dim returns the number of columns.
func (r DenseRows) Dim() int { return r.m.Cols }

// RawMatrix views the storage, as gonum's matrices do.
func (r DenseRows) RawMatrix() blas64.General { return blas64.General(r.m) }

func (r DenseRows) gather(index []int) Points[[]float64] {
	m := linalg.New[float64](len(index), r.m.Cols)
	for i, j := range index {
		copy(m.Row(i), r.m.Row(j))
	}
	return DenseRows{m}
}
