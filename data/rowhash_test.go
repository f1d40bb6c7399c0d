package data

import "testing"

func TestRowHashes(t *testing.T) {
	d := &Dataset{Columns: []Column{NumberColumn("a", []float64{1, 1, 2, 1}),
		LevelColumn("b", []string{"x", "x", "x", "y"}), NumberColumn("c", []float64{5, 6, 7, 8})}}
	h, err := RowHashes(d, []string{"a", "b"}, []int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if h[0] != h[1] || h[0] == h[2] || h[0] == h[3] || h[2] == h[3] {
		t.Errorf("equal and different rows are told apart as %x", h)
	}
	// A file of another version of mercer has to agree: the number of FNV-1a over 1, 0x1f, x, 0x1f.
	if h[0] != plainFNV("1\x1fx\x1f") {
		t.Errorf("the hash of row 1 is %x", h[0])
	}
	other, err := RowHashes(&Dataset{Columns: []Column{TextColumn("b", []string{"x"}), TextColumn("a", []string{"1"})}},
		[]string{"a", "b"}, []int{0})
	if err != nil || other[0] != h[0] {
		t.Errorf("the same values in another file: %x, %v", other, err)
	}
	if _, err := RowHashes(d, []string{"d"}, []int{0}); err == nil {
		t.Error("a column that is not there is hashed")
	}
	s := SparseOf([]SparseVec{{Index: []int32{1}, Value: []float64{2}}, {Index: []int32{1}, Value: []float64{2}},
		{Index: []int32{2}, Value: []float64{2}}}, 4)
	h, _ = RowHashes(&Dataset{Sparse: &s}, nil, []int{0, 1, 2})
	if h[0] != h[1] || h[0] == h[2] {
		t.Errorf("sparse rows: %x", h)
	}
}

// plainFNV is the hash by its definition.
func plainFNV(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
