package tune

import (
	"context"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

func TestAutoOnBuiltins(t *testing.T) {
	budget := 4 * time.Second
	if testing.Short() {
		budget = 2 * time.Second
	}
	for name, least := range map[string]float64{"iris": 0.9, "moons": 0.9, "circles": 0.9} {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		var r *AutoResult
		inTime(t, name, budget, func() { r, err = Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1}) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Test[0].Metric != "accuracy" || r.Test[0].Value < least || !(r.Test[0].Low <= r.Test[0].Value && r.Test[0].Value <= r.Test[0].High) {
			t.Errorf("%s: test %+v, want at least %g", name, r.Test[0], least)
		}
		if len(r.Why) < 4 {
			t.Errorf("%s: says too little: %q", name, r.Why)
		}

		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
	for name, most := range map[string]float64{"sinc": 0.15, "friedman1": 1.8, "mcycle": 32} {
		d, err := data.Builtin(name, 1)
		var r *AutoResult
		inTime(t, name, budget, func() { r, err = Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1}) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Test[0].Metric != "rmse" || r.Test[0].Value > most {
			t.Errorf("%s: test %+v, want at most %g", name, r.Test[0], most)
		}

		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
}
