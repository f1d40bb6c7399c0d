package data

import (
	"math"
	"reflect"
	"testing"
)

// The form of a fit keeps every bit: infinite numbers, texts that are no UTF-8, and what notations
// do not tell in model files.
func TestFormKeepsEverything(t *testing.T) {
	f, err := NewEncoderFit(EncoderOptions{Task: Regression, Missing: missingMean,
		Texts: map[string]TextPolicy{"note": textHash}})
	if err != nil {
		t.Fatal(err)
	}
	odd := TextColumn("odd", []string{"\xff", "\xfe", "\xff"})
	if odd, err = odd.As(Categorical); err != nil {
		t.Fatal(err)
	}
	d := &Dataset{Name: "a", Target: "y", Columns: []Column{
		NumberColumn("third", []float64{1.0 / 3, math.NaN(), 2e-310}),
		NumberColumn("none", []float64{math.NaN(), math.NaN(), math.NaN()}), odd, NumberColumn("y", []float64{1, 2, 3})}}
	if err := f.Add(d); err != nil {
		t.Fatal(err)
	}
	f.read = map[string]Notation{"third": {Kind: Numeric, Decimal: ",", Settled: true},
		"odd": {Kind: Categorical, Missing: []string{"–"}}}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back EncoderFit
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.read, f.read) || !reflect.DeepEqual(back.options, f.options) || back.rows != f.rows ||
		len(back.columns) != len(f.columns) {
		t.Errorf("%+v\n%+v", back, f)
	}
	for i, s := range f.columns {
		got := back.columns[i]
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if !same(got.low, s.low) || !same(got.high, s.high) || got.spread != s.spread || got.turns != s.turns ||
			got.rows != s.rows || got.missing != s.missing || got.first != s.first || got.last != s.last ||
			!reflect.DeepEqual(append([]string{}, got.levels...), append([]string{}, s.levels...)) ||
			!reflect.DeepEqual(got.place, s.place) || !reflect.DeepEqual(got.code, s.code) {
			t.Errorf("%s: got %+v\nwant %+v", s.code.Name, got, s)
		}
		if len(got.counts) != len(s.levels) || len(s.levels) > 0 && got.counts[0] != s.counts[0] {
			t.Errorf("%s: %v, want %v", s.code.Name, got.counts, s.counts)
		}
	}
	for n := range len(b) {
		if err := new(EncoderFit).UnmarshalBinary(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken", n, len(b))
		}
	}
}
