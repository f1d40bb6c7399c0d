package data

import (
	"errors"
	"math"
	"testing"
)

// Murphy's form by hand: of three texts "apple" is in two, "pear" in one; log(1 + n)·log(N/(1 +
// d)), then of length one.
func TestLogTFIDF(t *testing.T) {
	d := &Dataset{Name: "texts", Columns: []Column{TextColumn("t",
		[]string{"apple apple pear", "apple plum", "fig fig fig fig"}), NumberColumn("x", []float64{1, 2, 3})}}
	e, err := FitEncoder(d, EncoderOptions{Text: textLogTFIDF})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	rows := x.AsDense()
	at := map[string]int{}
	for j, name := range e.Names() {
		at[name] = j
	}
	// "apple": log(3/3) = 0, so that the first text is its pear alone.
	if got := rows.At(0)[at["t=pear"]]; math.Abs(got-1) > 1e-15 || rows.At(0)[at["t=apple"]] != 0 {
		t.Errorf("the first text: pear %g, apple %g", got, rows.At(0)[at["t=apple"]])
	}
	// Of four texts "apple" is in two: log(4/3); "pear" and "plum" in one: log(2).
	d = &Dataset{Name: "texts", Columns: []Column{TextColumn("t",
		[]string{"apple apple pear", "apple plum", "fig", "nut"})}}
	if e, err = FitEncoder(d, EncoderOptions{Text: textLogTFIDF}); err != nil {
		t.Fatal(err)
	}
	if x, err = e.Transform(d); err != nil {
		t.Fatal(err)
	}
	for j, name := range e.Names() {
		at[name] = j
	}
	apple, pear := math.Log(3)*math.Log(4.0/3), math.Log(2)*math.Log(2)
	norm := math.Hypot(apple, pear)
	got := x.AsDense().At(0)
	if math.Abs(got[at["t=apple"]]-apple/norm) > 1e-15 || math.Abs(got[at["t=pear"]]-pear/norm) > 1e-15 {
		t.Errorf("apple %g and pear %g, want %g and %g", got[at["t=apple"]], got[at["t=pear"]], apple/norm, pear/norm)
	}
}

// A text without words is no missing value where texts become words: its features are all 0, in the
// fit and in prediction. A string that is kept as it is may not be missing.
func TestEmptyTextsHaveNoWords(t *testing.T) {
	d := &Dataset{Name: "posts", Target: "y", Columns: []Column{
		TextColumn("text", []string{"good and cheap", "", "bad and dear", "good"}),
		LevelColumn("y", []string{"a", "b", "a", "b"}),
	}}
	e, err := FitEncoder(d, EncoderOptions{Text: textTFIDF})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	if x.Len() != 4 || x.Filled != 0 || len(x.Sparse.At(1).Index) != 0 || len(x.Sparse.At(0).Index) != 3 {
		t.Errorf("%d rows, %d filled, row 1 has %v", x.Len(), x.Filled, x.Sparse.At(1))
	}
	var missing *Error
	if _, err := FitEncoder(d, EncoderOptions{Text: textKeep}); !errors.As(err, &missing) || missing.Kind != ErrMissing {
		t.Errorf("a string that is missing: %v", err)
	}
	if e, err = FitEncoder(d, EncoderOptions{Text: textTFIDF, Missing: missingDrop}); err != nil {
		t.Fatal(err)
	}
	if x, err = e.TransformLabelled(d); err != nil || x.Len() != 4 {
		t.Errorf("told to leave rows out with missing values: %v", err)
	}
	for want, texts := range map[bool][]string{true: {"a b", "", "c", "d e"}, false: {"ACGT", "a b", "TT"}} {
		if c := TextColumn("t", texts); c.OfWords() != want {
			t.Errorf("%q: words %v", texts, !want)
		}
	}
}
