package tune

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// slowLearner is a table's learner whose fits take the time that cost says of their rows, in a
// hundred steps with a look at the context after each. A blind one learns nothing.
func slowLearner(c *workClock, name string, blind bool, cost func(rows int) time.Duration) *learn.Learner {
	l, err := all.ByName(name)
	if err != nil {
		panic(err)
	}
	fit := l.Fit
	l.Cells, l.Name = nil, "slow "+name
	l.Fit = func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		for range 100 {
			if c.pass(cost(p.Len()) / 100); ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if blind { // all targets the same but for one
			p.Y = make([]float64, p.Len())
			p.Y[0] = 1
		}
		return fit(ctx, s, p)
	}
	return &l
}

// After a search on part of the rows the chosen cell is fitted on twice as many while there is
// time; where that does not get to all rows, it is compared with few centres of all of them, on
// rows that it has not seen.
func TestWholeFit(t *testing.T) {
	t.Parallel()
	whole, part, seed := 1200, 150, uint64(2)
	if testing.Short() {
		whole, part = 560, 70 // of 400 rows most draws are learnt as well by few centres as exactly
	}
	p := toy(whole, data.Binary, seed)
	square := func(each time.Duration) func(int) time.Duration {
		return func(rows int) time.Duration { return each * time.Duration(rows*rows) / time.Duration(part*part) }
	}
	for _, c := range []struct {
		what  string
		blind bool
		width float64 // of the kernel
		cost  func(int) time.Duration
		only  contest
		rows  int
		few   bool // few centres are the result
	}{
		{"time for all rows", false, 1, square(time.Millisecond), everyone, whole, false},
		{"time for four times the rows, and nobody to compete with", false, 0.02, square(160 * time.Millisecond), onlyExact,
			whole / 2, false},
		{"a poor kernel, which few centres can mend", false, 0.02, square(160 * time.Millisecond), everyone, whole, true},
		{"no time for more, and few centres are better", true, 1, square(2 * time.Second), everyone, whole, true},
		{"no time after one step of the exact fit: few centres without the rows apart", false, 1,
			func(int) time.Duration { return time.Hour }, everyone, whole * 9 / 10, true},
		{"few centres are asked for", false, 1, square(time.Millisecond), onlyCenters, whole, true},
		{"all rows at once", false, 1, square(time.Millisecond), straight, whole, false},
	} {
		clock := newWorkClock()
		rows := someRows(p, part, 1)
		s := Search{Problem: p.Gather(rows), NoModel: true, Threads: 1, Budget: time.Hour, Seed: 1, clock: clock,
			standIn: true,
			Candidates: []Candidate{{Learner: "slow ridge", Use: slowLearner(clock, "ridge", c.blind, square(0)),
				Kernel: vec(kernel.Gaussian{Lengthscale: c.width})}}}
		res := mustRun(t, s)
		s.Candidates[0].Use = slowLearner(clock, "ridge", c.blind, c.cost)
		w := wholeFit{search: s, p: p, rows: rows, clock: clock, end: clock.now().Add(10 * time.Second), only: c.only}
		if err := w.fit(t.Context(), res); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if res.Model.Rows != c.rows || (res.wide != "") != c.few || (res.Model.Learner == "nystrom") != c.few ||
			(res.Chosen.Learner == "nystrom") != c.few {
			t.Errorf("%s: %v on %d rows, %q", c.what, res.Chosen, res.Model.Rows, res.Warnings)
		}
		// Folds are of the rows that the result says.
		for _, f := range res.Folds {
			if of := len(f.Train) + len(f.Test); of != part && of != len(p.Y) || (of == len(p.Y)) != res.ofAll {
				t.Errorf("%s: a fold of %d rows, of all %v", c.what, of, res.ofAll)
			}
		}
		if c.few && !strings.Contains(res.wide, ofRows(c.rows, whole)) {
			t.Errorf("%s: %q", c.what, res.wide)
		}
		// Every model of the contest is told of, and judged by rows that it has not seen.
		if c.only == everyone && len(res.growth) < 2 {
			t.Errorf("%s: %+v", c.what, res.growth)
		}
		// No further than a step beyond the end.
		if late, most := clock.now().Sub(w.end), c.cost(whole)/100+100*time.Millisecond; late > most {
			t.Errorf("%s: %v late", c.what, late)
		}
	}
}

// What leaves no room for a fit beside the encoded rows is refused with what would do.
func TestBesideRows(t *testing.T) {
	x := &data.Encoded{Dense: data.Rows(mat.NewDense(1000, 10, nil)), Kept: make([]int, 1000)}
	rows, least := int64(3*8*1000*10), int64(1<<18+256*1000)
	if got, err := besideRows(rows+least, x); err != nil || got != least {
		t.Errorf("%d bytes, %v", got, err)
	}
	_, err := besideRows(rows+least-1, x)
	var over *learn.OverBudget
	if !errors.As(err, &over) || over.Needs != rows+least {
		t.Errorf("too little: %v", err)
	}
	if got, err := besideRows(0, x); err != nil || got <= 0 {
		t.Errorf("the default leaves %d, %v", got, err)
	}
}
