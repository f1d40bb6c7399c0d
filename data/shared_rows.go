package data

import (
	"hash/maphash"
	"slices"
)

// SharedRows counts the rows of one part of the data set that stand in another as well, the same in
// every column: what is tested on them has been seen.
func (d *Dataset) SharedRows(part, other []int) int {
	seed := maphash.MakeSeed()
	rows := make(map[uint64][]int, len(other))
	for _, i := range other {
		h := d.rowHash(seed, i)
		rows[h] = append(rows[h], i)
	}
	n := 0
	for _, i := range part {
		for _, j := range rows[d.rowHash(seed, i)] {
			if d.sameRow(i, j) {
				n++
				break
			}
		}
	}
	return n
}

func (d *Dataset) rowHash(seed maphash.Seed, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for k := range d.Columns {
		switch c := &d.Columns[k]; {
		case c.IsMissing(i):
			h.WriteByte(1)
		case c.Kind == Numeric:
			maphash.WriteComparable(&h, c.Numbers[i])
		case c.Kind.named():
			maphash.WriteComparable(&h, c.Codes[i])
		case c.Kind == Time:
			maphash.WriteComparable(&h, c.Micros[i])
		default:
			h.WriteString(c.String(i))
		}
		h.WriteByte(0)
	}
	if d.Sparse != nil {
		v := d.Sparse.At(i)
		for k, j := range v.Index {
			maphash.WriteComparable(&h, j)
			maphash.WriteComparable(&h, v.Value[k])
		}
	}
	return h.Sum64()
}

func (d *Dataset) sameRow(i, j int) bool {
	for c := range d.Columns {
		if !d.Columns[c].same(i, j) {
			return false
		}
	}
	if d.Sparse == nil {
		return true
	}
	a, b := d.Sparse.At(i), d.Sparse.At(j)
	return slices.Equal(a.Index, b.Index) && slices.Equal(a.Value, b.Value)
}
