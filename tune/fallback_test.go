package tune

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// duringSearch is an accuracy that does something when it is asked for the first time by the search
// itself, after the scores of what it has in hand.
func duringSearch(s *Search, do func()) Metric {
	held, asked := s.heldScores(), 0
	return costly(Metrics(data.Binary)[0], func(int) {
		if asked++; asked == held+1 {
			do()
		}
	})
}

// heldScores is how many scores a search takes for what it has in hand.
func (s Search) heldScores() (scores int) {
	s.clock, s.Budget, s.Threads, s.standIn = newWorkClock(), time.Minute, 1, true
	s.Metric = costly(Metrics(data.Binary)[0], func(int) { scores++ })
	e, err := s.engine()
	if err != nil {
		panic(err)
	}
	s.holdFallback(context.Background(), e)
	return scores
}

// A search that is stopped before any of its cells is judged has a model of all rows all the same.
func TestFallbackOfAStoppedSearch(t *testing.T) {
	t.Parallel()
	for _, l := range []string{"svm", "ridge"} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := simple(l, data.Binary)
		s.Problem = toy(1000, data.Binary, 2)
		s.Budget, s.clock, s.Threads, s.standIn = time.Minute, newWorkClock(), 1, true
		s.Metric = duringSearch(&s, cancel)
		r, err := s.Run(ctx)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if r.Model == nil || r.Model.Rows != 1000 || r.judged != 1000 || !r.Interrupted || len(r.Warnings) != 1 {
			t.Fatalf("%s: model %v, judged on %d rows, interrupted %v, warnings %q", l, r.Model, r.judged, r.Interrupted,
				r.Warnings)
		}
		if r.Chosen.Learner != "nystrom" || r.Chosen.Mean < 0.8 || r.Chosen.String() != r.Best.String() {
			t.Errorf("%s: chosen %v of mean %g, best %v", l, r.Chosen, r.Chosen.Mean, r.Best)
		}
	}
}

// No time for a cell on all rows, or for the last fit of one, is no reason for a model of few rows:
// that of few centres is there.
func TestNoTimeForAllRows(t *testing.T) {
	const n = 2400
	for _, c := range []struct {
		what   string
		cost   func(rows int) time.Duration // of a fit
		judged bool                         // a cell is judged
	}{
		{"every fit takes for ever", func(int) time.Duration { return 20 * time.Second }, false},
		{"only the last fit does", func(rows int) time.Duration {
			if rows == n {
				return 20 * time.Second
			}
			return 10 * time.Millisecond
		}, true},
	} {
		clock := newWorkClock()
		slow := learn.Learner{Name: "slow", Classes: true, Fit: func(ctx context.Context, s learn.Settings,
			p learn.Problem[any]) (learn.Model[any], error) {
			for range 100 {
				if clock.pass(c.cost(p.Len()) / 100); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			return simpleFit(ctx, s, p)
		}}
		s := Search{Problem: toy(n, data.Binary, 2), Budget: time.Second, Threads: 1, clock: clock, standIn: true,
			Candidates: []Candidate{{Learner: "slow", Use: &slow, Kernel: vec(kernel.Gaussian{}),
				Axes: []Axis{Over("gaussian.lengthscale", 0.5, 1, 2)}}}}
		r := mustRun(t, s)
		if r.Model.Rows != n || r.Model.Learner != "nystrom" || !r.Interrupted || len(r.Warnings) != 1 ||
			!strings.Contains(r.Warnings[0], "on all 2,400 rows") {
			t.Errorf("%s: %s of %d rows, warnings %q", c.what, r.Model.Learner, r.Model.Rows, r.Warnings)
		}
		if r.Chosen.Mean < 0.8 || r.Chosen.Learner != "nystrom" {
			t.Errorf("%s: chosen %v of %g", c.what, r.Chosen, r.Chosen.Mean)
		}
		if ofOthers := slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Learner == "slow" }); ofOthers != c.judged {
			t.Errorf("%s: cells of the search are listed: %v", c.what, ofOthers)
		}
		// A hundredth of a fit passes between two looks at the context, in each fold.
		if most := time.Second + 6*20*time.Second/100; r.Elapsed > most {
			t.Errorf("%s: took %v", c.what, r.Elapsed)
		}
	}
}

// simpleFit is a quick fit, for learners whose time is made up.
func simpleFit(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	l, err := (Candidate{Learner: "nystrom"}).entry()
	if err != nil {
		return nil, err
	}
	s.Params = map[string]float64{"lambda": 1, "centres": 10}
	return l.Fit(ctx, s, p)
}

// The first answer is there however long it takes, on as many rows as are few work; all rows take
// its place where they end in their time, and are not worse.
func TestFallbackInItsTime(t *testing.T) {
	for _, c := range []struct {
		slow time.Duration // of a score
		rows int           // of the model
	}{{0, 5000}, {300 * time.Millisecond, 1250}, {9 * time.Second, 1250}} {
		s := simple("ridge", data.Binary)
		s.Problem = toy(5000, data.Binary, 2)
		clock := newWorkClock()
		s.Budget, s.clock, s.Threads, s.standIn = time.Minute, clock, 1, true
		s.Metric = costly(Metrics(data.Binary)[0], func(int) { clock.pass(c.slow) })
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		f := s.holdFallback(t.Context(), e)
		if f == nil || f.model.Rows != c.rows || !f.best.complete() || len(f.best.Scores) != len(e.folds) {
			t.Errorf("scores of %v: a model of %d rows is wanted: %+v", c.slow, c.rows, f)
		}
		// The first setting of the first answer has all the time that it needs; the rest twice its
		// share, to judge it and to judge all rows.
		if took, most := clock.now().Sub(newWorkClock().now()), 5*c.slow+2*6*time.Second+2*c.slow; took > most {
			t.Errorf("scores of %v: it took %v, more than %v", c.slow, took, most)
		}
	}
}

// Stopped after some cells, the search returns the better of them and the fallback.
func TestFallbackAgainstJudgedCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		low  float64 // taken off the score of cells of the search
		held bool    // the fallback is returned
	}{{"worse cells", 0.6, true}, {"better cells", -1, false}} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := simple("ridge", data.Binary)
		s.Problem = toy(1000, data.Binary, 2)
		s.Budget, s.clock, s.Threads, s.standIn = time.Minute, newWorkClock(), 1, true
		searching := false
		started := duringSearch(&s, func() { searching = true })
		score := started.Score
		s.Metric = started
		s.Metric.Score = func(p learn.Predictions) float64 {
			if v := score(p); !searching {
				return v
			} else {
				return v - c.low
			}
		}
		s.Trace = func(Event) { cancel() }
		r, err := s.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Interrupted || (r.Model.Learner == "nystrom") != c.held || r.Model.Rows != 1000 {
			t.Errorf("%s: %s of %d rows, interrupted %v; the fallback is wanted: %v", c.what, r.Model.Learner, r.Model.Rows,
				r.Interrupted, c.held)
		}
	}
}

// A search that comes to its end has the same bits with a fallback as without: no cell, fit or line
// of the trace more.
func TestFallbackLeavesNoTrace(t *testing.T) {
	run := func(budget time.Duration) (r *Result, events []int) {
		s := simple("svm", data.Binary)
		s.Problem = toy(1200, data.Binary, 2)
		s.Budget, s.clock, s.standIn = budget, newWorkClock(), true
		s.Trace = func(e Event) { events = append(events, e.Done, e.Fits) }
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return r, events
	}
	with, told := run(time.Hour)
	without, wanted := run(0) // a search without a budget makes none
	if !slices.Equal(told, wanted) || with.Fits != without.Fits || with.Chosen.String() != without.Chosen.String() {
		t.Errorf("told %v, %d fits, chosen %v; want %v, %d, %v", told, with.Fits, with.Chosen, wanted, without.Fits,
			without.Chosen)
	}
	if len(with.Cells) != len(without.Cells) {
		t.Fatalf("%d cells; want %d", len(with.Cells), len(without.Cells))
	}
	for i, c := range with.Cells {
		if c.String() != without.Cells[i].String() || !slices.Equal(c.Scores, without.Cells[i].Scores) {
			t.Errorf("cell %d: %v %v; want %v %v", i, c, c.Scores, without.Cells[i], without.Cells[i].Scores)
		}
	}
}
