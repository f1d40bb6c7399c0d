package tune

import (
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// TestFewRowsFirst: where a first fit of all rows takes longer than there is time, there is a model
// of many of them all the same, and it is said of how many.
func TestFewRowsFirst(t *testing.T) {
	const whole, foot, part = 2400, 200, 60
	p := toy(whole, data.Regression, 3)
	for _, c := range []struct {
		what        string
		values      int // of the kernel that there is time for
		centers     int // asked for
		least, most int // rows of the model
	}{
		{"time for everything", 1e9, 0, whole, whole},
		{"time for fewer centres of all rows", 600_000, 0, whole * 9 / 10, whole},
		{"time for some rows", 500_000, 100, foot + 1, whole * 8 / 10},
		{"time for the first rows only", 300_000, 100, foot, foot},
	} {
		if testing.Short() && c.values == 1e9 {
			continue // it tunes and climbs, to the end
		}
		clock := newWorkClock()
		k := slowKernel{kernel.Gaussian{Lengthscale: 1}, func() { clock.pass(time.Minute / time.Duration(c.values)) }}
		rows := someRows(p, part, 1)
		s := Search{Problem: p.Gather(rows), NoModel: true, Threads: 1, Budget: time.Hour, Seed: 1, clock: clock,
			Candidates: []Candidate{{Learner: "ridge", Kernel: vec(k)}}}
		res := mustRun(t, s)
		w := wholeFit{search: s, p: p, rows: rows, clock: clock, end: clock.now().Add(time.Minute), only: onlyCenters,
			centers: c.centers, foot: foot}
		if err := w.fit(t.Context(), res); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if res.wide == "" {
			t.Errorf("%s: %v of %d rows, %q", c.what, res.Chosen, res.Model.Rows, res.Warnings)
			continue
		}
		t.Logf("%s: %s", c.what, res.wide)
		if n := res.Model.Rows; n < c.least || n > c.most {
			t.Errorf("%s: a model of %d rows, not of %d to %d", c.what, n, c.least, c.most)
		}
		// Later by what it takes to judge the last fit, for five penalties on a tenth of the rows.
		if late, judging := clock.now().Sub(w.end), time.Minute*5*256*whole/10/time.Duration(c.values); late > judging {
			t.Errorf("%s: %v late", c.what, late)
		}
	}
}
