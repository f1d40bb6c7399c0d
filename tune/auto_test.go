package tune

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// inTime fails when more than a tenth of the budget was overrun. That can only be asked
// of a machine with nothing else to do, which MERCER_TIMING says this one is;
// otherwise twice the budget is allowed.
func inTime(t *testing.T, what string, took, budget time.Duration) {
	t.Helper()
	allowed := 2 * budget
	if os.Getenv("MERCER_TIMING") != "" {
		allowed = budget * 11 / 10
	}
	if took > allowed {
		t.Errorf("%s: took %v of %v", what, took, budget)
	}
}

func TestAutoOnBuiltins(t *testing.T) {
	budget, friedman := 4*time.Second, 1.8
	if testing.Short() {
		budget, friedman = 2*time.Second, 2.6 // a loaded machine gets through little of the search
	}
	for name, least := range map[string]float64{"iris": 0.9, "moons": 0.9, "circles": 0.9} {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Test[0].Metric != "accuracy" || r.Test[0].Value < least || !(r.Test[0].Low <= r.Test[0].Value && r.Test[0].Value <= r.Test[0].High) {
			t.Errorf("%s: test %+v, want at least %g", name, r.Test[0], least)
		}
		if len(r.Why) < 4 {
			t.Errorf("%s: says too little: %q", name, r.Why)
		}
		inTime(t, name, r.Elapsed, budget)
		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
	for name, most := range map[string]float64{"sinc": 0.15, "friedman1": friedman, "mcycle": 32} {
		d, _ := data.Builtin(name, 1)
		r, err := Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Test[0].Metric != "rmse" || r.Test[0].Value > most {
			t.Errorf("%s: test %+v, want at most %g", name, r.Test[0], most)
		}
		inTime(t, name, r.Elapsed, budget)
		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
}
