package linalg

import "slices"

// A file may name column 288,888,888 in its only row: what products need for each column, counts
// and a place in a scratch, is then made for the columns that occur. Their order stays, and so do
// the bits of the sums.

// mostColumns is how many columns there are for each entry before those that occur are numbered
// anew.
const mostColumns = 16

// UsedColumns is the columns that m has entries in, in order, where they are few among all; nil
// where they are not.
func UsedColumns(m *CSR) []int32 {
	if m.Cols <= 1<<16 || m.Cols/mostColumns <= m.NNZ() {
		return nil
	}
	used := slices.Clone(m.Index[m.Ptr[0]:m.Ptr[m.Rows]])
	slices.Sort(used)
	used = slices.Compact(used)
	if used == nil {
		used = []int32{}
	}
	return used
}

// OnColumns is m with the columns in used, numbered by their place there; entries in others are
// left out, as zeros of the other factor meet them.
func (m *CSR) OnColumns(used []int32) *CSR {
	out := &CSR{Rows: m.Rows, Cols: len(used), Ptr: make([]int, m.Rows+1)}
	for i := range m.Rows {
		index, value := m.Row(i)
		for k, c := range index {
			if at, ok := slices.BinarySearch(used, c); ok {
				out.Index, out.Value = append(out.Index, int32(at)), append(out.Value, value[k])
			}
		}
		out.Ptr[i+1] = len(out.Index)
	}
	return out
}
