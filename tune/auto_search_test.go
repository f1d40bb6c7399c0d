package tune

import (
	"strings"
	"testing"
)

// TestReasonOfATie: a setting with the mean of the chosen one is not called better.
func TestReasonOfATie(t *testing.T) {
	cell := func(lambda, mean, brier float64) Cell {
		return Cell{Learner: "ridge", Kernel: "linear", Params: []Setting{{Name: "lambda", Value: lambda}}, Mean: mean, Second: brier}
	}
	for best, word := range map[float64]string{0.8: "the same mean", 0.81: "a better mean"} {
		r := &AutoResult{}
		reportSearch(r, &Result{Best: cell(2, best, 0.2), Chosen: cell(1, 0.8, 0.1)}, Accuracy(), Brier(), false)
		if all := strings.Join(r.Why, "\n"); !strings.Contains(all, "lambda=2 had "+word) {
			t.Errorf("means %g and 0.8: %s", best, all)
		}
	}
}
