package data

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// DenseRows is the rows of a matrix as Points.
type DenseRows struct {
	m linalg.Matrix[float64]
}

// Rows views the rows of m as points; nothing is copied.
func Rows(m *mat.Dense) DenseRows { return DenseRows{linalg.Of(m)} }

// RowsOf views the rows of an engine matrix as points. Unlike a mat.Dense it
// may have no rows or no columns.
func RowsOf(m linalg.Matrix[float64]) DenseRows { return DenseRows{m} }

// Len returns the number of rows.
func (r DenseRows) Len() int { return r.m.Rows }

// At views row i.
func (r DenseRows) At(i int) []float64 { return r.m.Row(i) }

// Dim returns the number of columns.
func (r DenseRows) Dim() int { return r.m.Cols }

// Matrix views the storage.
func (r DenseRows) Matrix() linalg.Matrix[float64] { return r.m }

func (r DenseRows) gather(index []int) Points[[]float64] {
	m := linalg.New[float64](len(index), r.m.Cols)
	for i, j := range index {
		copy(m.Row(i), r.m.Row(j))
	}
	return DenseRows{m}
}
