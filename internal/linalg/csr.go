package linalg

// CSR is a matrix stored by compressed sparse rows: row i has the values
// Value[Ptr[i]:Ptr[i+1]] at the strictly increasing columns Index[Ptr[i]:Ptr[i+1]].
type CSR struct {
	Rows, Cols int
	Ptr        []int
	Index      []int32
	Value      []float64
}

// Row views the columns and values of row i.
func (m *CSR) Row(i int) ([]int32, []float64) {
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	return m.Index[lo:hi:hi], m.Value[lo:hi:hi]
}
