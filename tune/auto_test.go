package tune

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// How good the choice is, on a fixed amount of work: what a time budget gets
// through depends on the machine, and has tests of its own.
func TestAutoOnBuiltins(t *testing.T) {
	t.Parallel()
	ask := AutoOptions{Budget: 2 * time.Minute, Seed: 1, Folds: 5, Strategy: Random{Cells: 60}}
	classes, numbers := map[string]float64{"iris": 0.9, "moons": 0.9, "circles": 0.9},
		map[string]float64{"sinc": 0.15, "friedman1": 1.8, "mcycle": 32}
	if testing.Short() {
		ask.Strategy = Random{Cells: 30}
		for _, name := range []string{"moons", "circles", "friedman1", "mcycle"} {
			delete(classes, name)
			delete(numbers, name)
		}
	}
	for name, least := range classes {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := mustAuto(t, d, ask)
		if r.Test[0].Metric != "accuracy" || r.Test[0].Value < least ||
			!(r.Test[0].Low <= r.Test[0].Value && r.Test[0].Value <= r.Test[0].High) {
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

// Where there is time for no cell, and few centres are found only when it is over, they are the
// model.
func TestAutoWithoutTimeForACell(t *testing.T) {
	t.Parallel()
	clock := newWorkClock()
	const n = 1200
	r, err := Auto(t.Context(), data.Moons(n, 0.3, 1), AutoOptions{Budget: time.Second, Seed: 1, Threads: 1, clock: clock,
		Learners: []string{"ridge"},
		Metric: costly(Accuracy(), func(rows int) {
			if rows != n/5 { // those held out are judged after the search
				clock.pass(5 * time.Millisecond)
			}
		})})
	if err != nil {
		t.Fatal(err)
	}
	if found := resultOf(r); found.Model == nil || found.fellBack == "" || found.held == nil || !r.Interrupted ||
		!(r.Test[0].Value > 0.8) {
		t.Errorf("model %v, fell back %q, interrupted %v, %+v", found.Model, found.fellBack, r.Interrupted, r.Test)
	}
}

// The time budget of everything holds, on few rows and where the search takes part of them: scores
// take time here.
func TestAutoBudget(t *testing.T) {
	t.Parallel()
	const budget, each = time.Second, 2 * time.Millisecond
	for _, n := range []int{400, 1200} {
		for _, make := range []func(n int, noise float64, seed uint64) *data.Dataset{data.Friedman1, data.Moons} {
			d := make(n, 0.3, 1)
			if testing.Short() && (n == 400) != (d.Name == "friedman1") {
				continue
			}
			what := fmt.Sprintf("%s, %d rows", d.Name, n)
			task := data.Binary
			if d.Name == "friedman1" {
				task = data.Regression
			}
			clock := newWorkClock()
			r, err := Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1, Threads: 1, clock: clock,
				Learners: []string{"ridge"},
				Metric: costly(Metrics(task)[0], func(rows int) {
					if rows != n/5 { // those held out are judged after the search, by thousands of samples
						clock.pass(each)
					}
				})})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			found := resultOf(r)
			if found.Model == nil || found.Model.Rows != len(r.Split.Train) || len(r.Test) == 0 || !r.Interrupted {
				t.Errorf("%s: model %v, tests %v, interrupted %v", what, found.Model, r.Test, r.Interrupted)
			}
			if r.Elapsed > budget || r.Elapsed < budget/4 {
				t.Errorf("%s: took %v", what, r.Elapsed)
			}
			most, _ := searchRows(budget, 1<<30, task)
			if of := fmt.Sprintf("searched on %d of %d rows, to keep to the time", most, len(r.Split.Train)); n == 1200 &&
				!slices.ContainsFunc(r.Why, func(w string) bool { return strings.HasPrefix(w, of) }) {
				t.Errorf("%s: it does not say %q: %q", what, of, r.Why)
			}
		}
	}
}

// slowKernel is a Gaussian whose every evaluation takes time.
type slowKernel struct {
	kernel.Kernel[kernel.Vec]
	pass func()
}

func (k slowKernel) Eval(x, y kernel.Vec) float64 {
	k.pass()
	return k.Kernel.Eval(x, y)
}

// After a search on part of the rows the model is of as many as there is time for: a kernel
// evaluation takes time here.
func TestAutoFitsMoreRowsInTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		each    time.Duration
		of, max int // rows of the model
	}{{10 * time.Nanosecond, 720, 720}, {400 * time.Nanosecond, 300, 719}} {
		d := data.Friedman1(900, 0.3, 1)
		clock := newWorkClock()
		const budget = 350 * time.Millisecond // of which a search takes 381 rows
		r, err := Auto(context.Background(), d, AutoOptions{Budget: budget, Seed: 1, Threads: 1, Folds: 2, clock: clock,
			Learners: []string{"ridge"},
			Axes:     []Axis{{Name: "lambda", Values: []float64{0.1}}},
			Kernel:   slowKernel{kernel.Gaussian{Lengthscale: 1}, func() { clock.pass(c.each) }}})
		if err != nil {
			t.Fatal(err)
		}
		if rows := resultOf(r).Model.Rows; rows < c.of || rows > c.max {
			t.Errorf("%v for an evaluation: a model of %d rows, want %d to %d: %q", c.each, rows, c.of, c.max, r.Why)
		}
		if r.Elapsed > budget*11/10 {
			t.Errorf("%v for an evaluation: took %v of %v", c.each, r.Elapsed, budget)
		}
	}
}
