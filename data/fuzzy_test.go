package data

import "testing"

// Fuzzy sets in braces say what they are; times and ratios do not.
func TestFuzzySetsAreGuessed(t *testing.T) {
	for kind, values := range map[Kind][]string{
		Fuzzy:       {"{a:0.5, b:1}", `{"a":0.2}`, "{c:-1}"},
		Categorical: {"1:2", "3:4", "1:2"},
		Set:         {"{a, b}", "{b}", "{c}"},
	} {
		d := &Dataset{Columns: []Column{TextColumn("c", values)}}
		if err := InferKinds(d, Inference{}); err != nil {
			t.Fatal(err)
		}
		if d.Columns[0].Kind != kind {
			t.Errorf("%q: %v, want %v", values, d.Columns[0].Kind, kind)
		}
	}
}
