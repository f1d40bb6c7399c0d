package data

import (
	"encoding/json"
	"errors"
	"testing"
)

// A few features with large numbers are scaled as they are with small ones, and the encoder costs
// what the file says; it comes back from JSON the same.
func TestSparseScaleByIndex(t *testing.T) {
	set := func(index func(int) int32, dim int) *Dataset {
		rows := SparseOf([]SparseVec{
			{[]int32{index(0), index(2)}, []float64{2, -4}}, {[]int32{index(1)}, []float64{0.5}},
			{[]int32{index(0), index(1)}, []float64{-8, 1}},
		}, dim)
		return &Dataset{Name: "s", Sparse: &rows}
	}
	near := set(func(j int) int32 { return int32(j) }, 3)
	far := set(func(j int) int32 { return int32(j) * 20_000_000 }, 40_000_001)
	want, err := FitEncoder(near, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := FitEncoder(far, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil || len(e.SparseScale) != 3 || len(text) > 2000 {
		t.Fatalf("%d scales, %d bytes of JSON, %v", len(e.SparseScale), len(text), err)
	}
	var back Encoder
	if err := errors.Join(json.Unmarshal(text, &back), back.Check()); err != nil {
		t.Fatal(err)
	}
	plain, err := want.Transform(near)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Encoder{e, &back} {
		x, err := e.Transform(far)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			v := x.Sparse.At(i)
			for k, j := range v.Index {
				if v.Value[k] != plain.Dense.At(i)[j/20_000_000] {
					t.Errorf("row %d: feature %d is %g, want %g", i, j, v.Value[k], plain.Dense.At(i)[j/20_000_000])
				}
			}
		}
		if f := e.SparseFactor(5); f != 1 {
			t.Errorf("a feature that was never there is scaled by %g", f)
		}
		if _, err := x.AsDenseWithin("s", 1<<20); !errors.Is(err, ErrTooLarge) {
			t.Errorf("spelled out: %v", err)
		}
	}
	for _, index := range [][]int32{{0, 0, 1}, {0, 1, 40_000_001}, {-1, 1, 2}, {1, 2}} {
		back.SparseIndex = index
		if back.Check() == nil {
			t.Errorf("scales of features %v are taken", index)
		}
	}
	if _, err := FitEncoder(set(func(j int) int32 { return int32(j) * 1_000_000_000 }, 2_000_000_001),
		EncoderOptions{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("two billion features: %v", err)
	}
}
