package tune

import "testing"

// What columns are said to weigh is what they weigh in the kernel that was chosen, not in another
// that was tried.
func TestWeightsAreThoseOfTheChoice(t *testing.T) {
	for chosen, want := range map[string][3]float64{weightedSum: {0.9, 0.1, 0}, evenSum: {0.5, 0.5, 0},
		productOf: {0, 0, 0}} {
		r := &AutoResult{Columns: []ColumnWorth{{Weight: 0.9, varies: true}, {Weight: 0.1, varies: true}, {}},
			Chosen: Cell{way: chosen}}
		r.weighAsChosen()
		for i, c := range r.Columns {
			if c.Weight != want[i] || c.Factor != (chosen == productOf && i < 2) {
				t.Errorf("%s: column %d has weight %g, factor %v; want weight %g", chosen, i, c.Weight, c.Factor, want[i])
			}
		}
	}
}
