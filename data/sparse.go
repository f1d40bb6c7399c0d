package data

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// SparseVec is a vector by its non-zero entries; Index is strictly increasing
// and zero-based. Entries it does not name are 0.
type SparseVec struct {
	Index []int32
	Value []float64
}

// CSR is a sparse matrix by rows: the entries of row i are Value[Ptr[i]:Ptr[i+1]], in the columns
// Index of the same places, which increase strictly.
type CSR struct {
	Rows, Cols int
	Ptr        []int
	Index      []int32
	Value      []float64
}

// Check refuses parts that do not fit together and values that are not finite; the error names row
// and entry.
func (m *CSR) Check() error { return (*linalg.CSR)(m).Check() }

// Row views the columns and values of row i.
func (m *CSR) Row(i int) (index []int32, value []float64) { return (*linalg.CSR)(m).Row(i) }

// SparseRows is the rows of a compressed sparse matrix as Points.
type SparseRows struct {
	m *CSR
}

// Sparse views the rows of m as points; nothing is copied.
func Sparse(m *CSR) SparseRows { return SparseRows{m} }

// SparseOf collects vectors in dim dimensions into one compressed matrix.
func SparseOf(rows []SparseVec, dim int) SparseRows {
	m := &CSR{Rows: len(rows), Cols: dim, Ptr: make([]int, len(rows)+1)}
	for i, v := range rows {
		m.Ptr[i+1] = m.Ptr[i] + len(v.Index)
	}
	m.Index = make([]int32, 0, m.Ptr[len(rows)])
	m.Value = make([]float64, 0, m.Ptr[len(rows)])
	for _, v := range rows {
		m.Index = append(m.Index, v.Index...)
		m.Value = append(m.Value, v.Value...)
	}
	return SparseRows{m}
}

// Len returns the number of rows.
func (r SparseRows) Len() int { return r.m.Rows }

// At views row i.
func (r SparseRows) At(i int) SparseVec {
	index, value := r.m.Row(i)
	return SparseVec{index, value}
}

// Dim returns the number of columns.
func (r SparseRows) Dim() int { return r.m.Cols }

// CSR views the storage.
func (r SparseRows) CSR() *CSR { return r.m }

func (r SparseRows) gather(index []int) Points[SparseVec] {
	rows := make([]SparseVec, len(index))
	for i, j := range index {
		rows[i] = r.At(j)
	}
	return SparseOf(rows, r.m.Cols)
}
