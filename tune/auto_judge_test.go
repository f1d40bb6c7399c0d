package tune

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// slowModel takes a time for each row that it is asked about.
type slowModel struct {
	outcome
	clock *workClock
	each  time.Duration
	asked int
}

func (m *slowModel) known(_ context.Context, x *data.Encoded) (learn.Predictions, []int, error) {
	m.asked += x.Len()
	m.clock.pass(time.Duration(x.Len()) * m.each)
	return learn.Predictions{}, nil, nil
}

// Of many rows held out so many are judged as there is time for, a thousand whatever it takes, and
// that not all are is said.
func TestRowsHeldOutAreJudgedInTime(t *testing.T) {
	d := plainTable(9000, 1)
	e, err := data.FitEncoder(d, data.EncoderOptions{Task: data.Regression})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, 8000)
	for i := range all {
		all[i] = 1000 + i
	}
	for _, c := range []struct {
		name string
		test []int
		each time.Duration
		left time.Duration // before the first row is asked about
		want int
	}{
		{"a quick model", all, time.Microsecond, 10 * time.Second, 8000},
		{"a slow one", all, 2 * time.Millisecond, 10 * time.Second, 2400}, // of 8 seconds left 0.6, at 2 ms each
		{"no time", all, 2 * time.Millisecond, time.Second, 1000},
		{"few rows", all[:1500], time.Second, time.Second, 1500},
	} {
		clock := newWorkClock()
		m := &slowModel{clock: clock, each: c.each}
		r := &AutoResult{Encoder: e, outcome: m}
		r.Split.Test = c.test
		end := clock.now().Add(c.left)
		got := r.judged(t.Context(), d, 1, timeLeft(t.Context(), clock, end), clock)
		if len(got) != c.want || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%s: %d rows are judged, want %d", c.name, len(got), c.want)
		}
		said := strings.Contains(strings.Join(r.Why, "\n"), "rows held out, drawn at random, are judged")
		if said != (c.want < len(c.test)) {
			t.Errorf("%s: %q", c.name, r.Why)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	clock := newWorkClock()
	r := &AutoResult{Encoder: e, outcome: &slowModel{clock: clock, each: time.Millisecond}}
	r.Split.Test = all
	if got := r.judged(ended, d, 1, timeLeft(ended, clock, clock.now().Add(time.Hour)), clock); len(got) != judgedLeast {
		t.Errorf("after Ctrl-C %d rows are judged", len(got))
	}
}
