package data

import (
	"math"
	"slices"
	"testing"
)

// A refitted encoder gives the features of one fitted to the same rows, in the places of the other:
// those of levels and words that the rows do not have are 0.
func TestRefit(t *testing.T) {
	nan := math.NaN()
	d := &Dataset{Name: "d", Columns: []Column{
		NumberColumn("a", []float64{1, 2, nan, 5, 9, 9}),
		LevelColumn("c", []string{"x", "y", "x", "z", "w", "w"}),
		TextColumn("t", []string{"red green", "green", "blue red", "green red", "black green", "black white"}),
	}}
	o := EncoderOptions{Missing: missingMean, Text: textTFIDF, Unseen: unseenZero}
	all, err := FitEncoder(d, o)
	if err != nil {
		t.Fatal(err)
	}
	part := d.Gather([]int{0, 1, 2, 3})
	refit, err := all.Refit(part)
	if err != nil {
		t.Fatal(err)
	}
	own, err := FitEncoder(part, o)
	if err != nil {
		t.Fatal(err)
	}
	if refit.Dim != all.Dim || !slices.Equal(refit.Columns[2].Words, all.Columns[2].Words) {
		t.Fatalf("%d features in place of %d", refit.Dim, all.Dim)
	}
	a, err := refit.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := own.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	ours, names := a.AsDense(), all.Names()
	theirs, known := b.AsDense(), own.Names()
	for i := range d.Len() {
		for j, v := range ours.At(i) {
			want := 0.0
			if at := slices.Index(known, names[j]); at >= 0 {
				want = theirs.At(i)[at]
			}
			if math.Abs(v-want) > 1e-14 {
				t.Errorf("row %d, %s: %g, an encoder of its own has %g", i, names[j], v, want)
			}
		}
	}
	if _, err := all.Refit(&Dataset{Name: "e", Columns: d.Columns[:2]}); err == nil {
		t.Error("refitted to other columns")
	}
}
