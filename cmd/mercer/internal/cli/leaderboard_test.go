package cli

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/tune"
)

// TestLeadersShowTheChoice: where another setting of the same candidate has a better mean, the
// leaderboard has the chosen one, whichever was judged first, and a reason.
func TestLeadersShowTheChoice(t *testing.T) {
	cell := func(lambda, mean, brier float64) tune.Cell {
		return tune.Cell{Learner: "ridge", Kernel: "linear", Params: []tune.Setting{{Name: "lambda", Value: lambda}},
			Mean: mean, Second: brier}
	}
	chosen, best := cell(1, 0.80, 0.1), cell(2, 0.81, 0.2)
	for _, cells := range [][]tune.Cell{{chosen, best}, {best, chosen}} {
		r := &tune.AutoResult{Metric: tune.Accuracy(), Cells: cells, Best: best, Chosen: chosen}
		if l := leaders(r); len(l) != 1 || !sameCell(l[0].Cell, chosen) || l[0].Tried != 2 {
			t.Errorf("of %v the leaderboard has %v, chosen was %v", cells, l, chosen)
		}
		if why := notTheBest(r, &fitOptions{}); !strings.Contains(why, "lambda=2") || !strings.Contains(why, "0.810") {
			t.Errorf("reason %q", why)
		}
		if why := notTheBest(r, &fitOptions{OneSE: true}); !strings.HasPrefix(why, "the simplest") {
			t.Errorf("reason by one standard error %q", why)
		}
		r.Best.Mean = chosen.Mean
		if why := notTheBest(r, &fitOptions{}); !strings.Contains(why, "the same mean") || strings.Contains(why, "better") {
			t.Errorf("reason of a tie %q", why)
		}
		r.Best = chosen
		if why := notTheBest(r, &fitOptions{}); why != "" {
			t.Errorf("the best was chosen, and the reason is %q", why)
		}
	}
}
