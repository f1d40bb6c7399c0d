package data

import (
	"math"
	"slices"
	"testing"
)

// TestRowSample: the rows drawn do not depend on the chunks, are in order, are those that they say,
// and all are as likely.
func TestRowSample(t *testing.T) {
	d := tableOf(5000, false)
	var first []int
	for _, sizes := range [][]int{{5000}, {1}, {999, 7}} {
		s := NewRowSample(300, 9)
		for _, part := range parts(d, sizes...) {
			if err := s.Add(part); err != nil {
				t.Fatal(err)
			}
		}
		got, rows, err := s.Rows()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = rows
		}
		if len(rows) != 300 || got.Len() != 300 || !slices.IsSorted(rows) || !slices.Equal(rows, first) {
			t.Fatalf("chunks of %v: %d rows, %d numbers", sizes, got.Len(), len(rows))
		}
		for i, r := range rows {
			if got.Columns[0].Numbers[i] != d.Columns[0].Numbers[r] || got.Columns[1].String(i) != d.Columns[1].String(r) {
				t.Fatalf("row %d is not row %d of all", i, r)
			}
		}
	}
	// Over many seeds each tenth of the rows is drawn about equally often.
	counts := make([]float64, 10)
	for seed := range uint64(200) {
		s := NewRowSample(50, seed)
		s.Add(d)
		_, rows, _ := s.Rows()
		for _, r := range rows {
			counts[r/500]++
		}
	}
	for part, c := range counts {
		if math.Abs(c-1000) > 5*math.Sqrt(900) {
			t.Errorf("tenth %d was drawn %g times of 10,000", part, c)
		}
	}
	few := NewRowSample(300, 1)
	few.Add(tableOf(20, false))
	if got, rows, err := few.Rows(); err != nil || got.Len() != 20 || len(rows) != 20 {
		t.Errorf("fewer rows than asked for: %v", err)
	}
	if _, _, err := NewRowSample(3, 1).Rows(); err == nil {
		t.Error("no rows: no error")
	}
}
