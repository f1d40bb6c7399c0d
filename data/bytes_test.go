package data

import "testing"

func TestBytes(t *testing.T) {
	d := &Dataset{Columns: []Column{
		NumberColumn("x", []float64{1, 2, 3}),
		{Name: "c", Kind: Categorical, Codes: []int32{0, 1, 0}, Levels: []string{"a", "bc"}},
		{Name: "t", Kind: Text, Strings: []string{"one", "", "three"}},
		{Name: "m", Kind: Time, Micros: []int64{1, 2, 3}},
		{Name: "s", Kind: Sequence, Sequences: [][]float64{{1}, nil, {1, 2}}},
	}}
	if got, want := d.Bytes(), int64(3*8+3*4+2*16+3+3*16+8+3*8+3*24+3*8); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	sparse := SparseOf([]SparseVec{{Index: []int32{1}, Value: []float64{2}}, {}}, 3)
	d.Sparse = &sparse
	if got, want := d.Bytes(), int64(3*8+3*4+2*16+3+3*16+8+3*8+3*24+3*8+8+4+3*8); got != want {
		t.Errorf("with sparse rows %d bytes, want %d", got, want)
	}
}
