package tune

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// How good the choice is, on a fixed amount of work: what a time budget gets
// through depends on the machine, and has tests of its own.
func TestAutoOnBuiltins(t *testing.T) {
	ask := AutoOptions{Budget: 2 * time.Minute, Seed: 1, Folds: 5, Strategy: Random{Cells: 60}}
	classes, numbers := map[string]float64{"iris": 0.9, "moons": 0.9, "circles": 0.9}, map[string]float64{"sinc": 0.15, "friedman1": 1.8, "mcycle": 32}
	if testing.Short() {
		ask.Strategy = Random{Cells: 30}
		delete(classes, "moons")
		delete(numbers, "friedman1")
	}
	for name, least := range classes {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := mustAuto(t, d, ask)
		if r.Test[0].Metric != "accuracy" || r.Test[0].Value < least || !(r.Test[0].Low <= r.Test[0].Value && r.Test[0].Value <= r.Test[0].High) {
			t.Errorf("%s: test %+v, want at least %g", name, r.Test[0], least)
		}
		if len(r.Why) < 4 {
			t.Errorf("%s: says too little: %q", name, r.Why)
		}
		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
	for name, most := range numbers {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := mustAuto(t, d, ask)
		if r.Test[0].Metric != "rmse" || r.Test[0].Value > most {
			t.Errorf("%s: test %+v, want at most %g", name, r.Test[0], most)
		}
		t.Logf("%s %v %v %v\n%q", name, r.Elapsed, r.Chosen, r.Test, r.Why)
	}
}

// The time budget of everything holds to 10 %, at sizes where the whole search takes longer.
func TestAutoBudget(t *testing.T) {
	budgets := []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second}
	sizes := []int{300, 2000, 20000}
	if testing.Short() {
		budgets, sizes = []time.Duration{time.Second}, []int{400, 4000}
	}
	for _, budget := range budgets {
		for _, n := range sizes {
			for _, make := range []func(n int, noise float64, seed uint64) *data.Dataset{data.Friedman1, data.Moons} {
				d := make(n, 0.3, 1)
				what := fmt.Sprintf("%s, %d rows, %v", d.Name, n, budget)
				var r *AutoResult
				var err error
				busy := inTime(t, what, budget, func() { r, err = Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1}) })
				switch {
				case err != nil && busy:
					// On a machine that others use the time may end before any cell.
					t.Logf("%s: %v", what, err)
					continue
				case err != nil:
					t.Fatalf("%s: %v", what, err)
				case ResultOf[kernel.Vec](r).Model == nil || len(r.Test) == 0:
					t.Errorf("%s: no model", what)
				}
				t.Logf("%s: %v, %d cells, %v %.4g", what, r.Elapsed, len(r.Cells), r.Chosen, r.Test[0].Value)
			}
		}
	}
}
