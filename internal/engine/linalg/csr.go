package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// CSR is a matrix stored by compressed sparse rows: row i has the values
// Value[Ptr[i]:Ptr[i+1]] at the strictly increasing columns Index[Ptr[i]:Ptr[i+1]].
type CSR struct {
	Rows, Cols int
	Ptr        []int
	Index      []int32
	Value      []float64
}

// NewCSR checks the parts of a sparse matrix and puts them together without a
// copy. The error says which row and entry is wrong; for a value that is not
// finite it is a *NotFinite.
func NewCSR(rows, cols int, ptr []int, index []int32, value []float64) (*CSR, error) {
	m := &CSR{Rows: rows, Cols: cols, Ptr: ptr, Index: index, Value: value}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// Check reports the first thing wrong with m: lengths that do not agree,
// columns out of range or not strictly increasing, values not finite.
func (m *CSR) Check() error {
	if m.Rows < 0 || m.Cols < 0 || m.Cols > math.MaxInt32 {
		return fmt.Errorf("sparse rows: %d×%d is no shape (at most %d columns)", m.Rows, m.Cols, math.MaxInt32)
	}
	if len(m.Ptr) != m.Rows+1 {
		return fmt.Errorf("sparse rows: %d row starts for %d rows: there must be one more than rows", len(m.Ptr), m.Rows)
	}
	if len(m.Index) != len(m.Value) {
		return fmt.Errorf("sparse rows: %d columns but %d values", len(m.Index), len(m.Value))
	}
	if m.Ptr[0] < 0 || m.Ptr[m.Rows] > len(m.Index) {
		return fmt.Errorf("sparse rows: row starts run from %d to %d, outside the %d entries", m.Ptr[0], m.Ptr[m.Rows],
			len(m.Index))
	}
	for i := range m.Rows {
		lo, hi := m.Ptr[i], m.Ptr[i+1]
		if hi < lo {
			return fmt.Errorf("sparse rows: row %d ends at entry %d, before its start %d", i, hi, lo)
		}
		if hi > len(m.Index) {
			return fmt.Errorf("sparse rows: row %d ends at entry %d of %d", i, hi, len(m.Index))
		}
		if err := m.checkRow(i); err != nil {
			return err
		}
	}
	return nil
}

// checkRow is Check of one row whose ends are in range. It looks for what is wrong only where
// something is.
func (m *CSR) checkRow(i int) error {
	index, value := m.Row(i)
	value = value[:len(index)]
	last, rising, sum := int32(-1), true, 0.0
	for k, c := range index {
		rising = rising && c > last
		last = c
		sum += value[k] - value[k] // 0, or NaN of what is not finite
	}
	if rising && int(last) < m.Cols && sum == 0 {
		return nil
	}
	last = -1
	for k, c := range index {
		if c < 0 || int(c) >= m.Cols {
			return fmt.Errorf("sparse rows: row %d has column %d: columns are 0 to %d", i, c, m.Cols-1)
		}
		if c <= last {
			return fmt.Errorf("sparse rows: row %d has column %d after column %d: they must increase", i, c, last)
		}
		last = c
		if v := value[k]; math.IsNaN(v) || math.IsInf(v, 0) {
			return &NotFinite{Row: i, Col: int(c), Value: v}
		}
	}
	return nil
}

// NNZ is the number of stored entries.
func (m *CSR) NNZ() int { return m.Ptr[m.Rows] - m.Ptr[0] }

// Row views the columns and values of row i.
func (m *CSR) Row(i int) ([]int32, []float64) {
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	return m.Index[lo:hi:hi], m.Value[lo:hi:hi]
}

// SliceRows views rows [i0, i1) without a copy.
func (m *CSR) SliceRows(i0, i1 int) *CSR {
	return &CSR{Rows: i1 - i0, Cols: m.Cols, Ptr: m.Ptr[i0 : i1+1 : i1+1], Index: m.Index, Value: m.Value}
}

// T returns the transposed matrix; its rows are m by compressed columns.
func (m *CSR) T() *CSR {
	t := &CSR{Rows: m.Cols, Cols: m.Rows, Ptr: make([]int, m.Cols+1), Index: make([]int32, m.NNZ()),
		Value: make([]float64, m.NNZ())}
	for _, c := range m.Index[m.Ptr[0]:m.Ptr[m.Rows]] {
		t.Ptr[c+1]++
	}
	for c := range m.Cols {
		t.Ptr[c+1] += t.Ptr[c]
	}
	at := append([]int(nil), t.Ptr...)
	for i := range m.Rows {
		index, value := m.Row(i)
		for k, c := range index {
			t.Index[at[c]], t.Value[at[c]] = int32(i), value[k]
			at[c]++
		}
	}
	return t
}

// ToDense returns m with its zeros.
func (m *CSR) ToDense() Matrix[float64] {
	d := New[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		index, value := m.Row(i)
		row := d.Row(i)
		for k, c := range index {
			row[c] = value[k]
		}
	}
	return d
}

// RowDot is the inner product of row i of m and row j of o.
func (m *CSR) RowDot(i int, o *CSR, j int) float64 {
	ia, va := m.Row(i)
	ib, vb := o.Row(j)
	s := 0.0
	for p, q := 0, 0; p < len(ia) && q < len(ib); {
		switch a, b := ia[p], ib[q]; {
		case a < b:
			p++
		case a > b:
			q++
		default:
			s += va[p] * vb[q]
			p++
			q++
		}
	}
	return s
}

// RowSquaredDistance is the squared distance of row i of m and row j of o,
// summed from the differences themselves: nothing cancels.
func (m *CSR) RowSquaredDistance(i int, o *CSR, j int) float64 {
	ia, va := m.Row(i)
	ib, vb := o.Row(j)
	s := 0.0
	p, q := 0, 0
	for p < len(ia) && q < len(ib) {
		switch a, b := ia[p], ib[q]; {
		case a < b:
			s += va[p] * va[p]
			p++
		case a > b:
			s += vb[q] * vb[q]
			q++
		default:
			d := va[p] - vb[q]
			s += d * d
			p++
			q++
		}
	}
	for ; p < len(ia); p++ {
		s += va[p] * va[p]
	}
	for ; q < len(ib); q++ {
		s += vb[q] * vb[q]
	}
	return s
}

// RowNormsSquared sets dst[i] to the squared norm of row i.
func (m *CSR) RowNormsSquared(dst []float64) {
	dst = dst[:m.Rows]
	for i := range dst {
		_, v := m.Row(i)
		dst[i] = simd.Dot(v, v)
	}
}
