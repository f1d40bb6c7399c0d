package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// A budget too short for one group on all rows gives a model judged on fewer,
// with a warning, instead of an error. The scores of many rows take long here.
func TestNoTimeForAllRows(t *testing.T) {
	const n = 800
	for _, c := range []struct {
		learner string
		budget  time.Duration
		takes   map[int]time.Duration // to judge a fold of so many rows: those of 800, 200 and 50 are a fifth
		judged  int
	}{
		{"ridge", 400 * time.Millisecond, map[int]time.Duration{160: 200 * time.Millisecond}, 20}, // no time is left: the fewest
		{"svm", 400 * time.Millisecond, map[int]time.Duration{160: 200 * time.Millisecond}, 20},
		{"ridge", 10 * time.Second, map[int]time.Duration{160: 4 * time.Second}, 200},
		{"ridge", 10 * time.Second, map[int]time.Duration{160: 4 * time.Second, 40: time.Second / 2}, 50},
	} {
		s := simple(c.learner, data.Binary)
		s.Problem = toy(n, data.Binary, 2)
		clock := newWorkClock()
		s.Budget, s.clock, s.Threads = c.budget, clock, 1
		s.Metric = costly(Metrics(data.Binary)[0], func(rows int) { clock.pass(c.takes[rows]) })
		r := mustRun(t, s)
		if r.judged != c.judged || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "all 800 rows") || !r.Interrupted {
			t.Errorf("%s: judged on %d rows, want %d, interrupted %v, warnings %q", c.learner, r.judged, c.judged, r.Interrupted, r.Warnings)
		}
		if r.Model == nil || r.Best.Mean < 0.5 {
			t.Errorf("%s: model %v, best %v", c.learner, r.Model, r.Best)
		}
		for _, f := range r.Folds {
			for _, i := range f.Test {
				if i < 0 || i >= n {
					t.Fatalf("%s: a fold has row %d", c.learner, i)
				}
			}
			if len(f.Train)+len(f.Test) != r.judged {
				t.Errorf("%s: a fold of %d rows, %d judged", c.learner, len(f.Train)+len(f.Test), r.judged)
			}
		}
	}
}
