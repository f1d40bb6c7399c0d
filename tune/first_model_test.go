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

// onManyRows is an accuracy that does something before it judges a fold of all
// rows; those of the first model are smaller.
func onManyRows(do func()) Metric {
	return costly(Metrics(data.Binary)[0], func(rows int) {
		if rows > firstRows/5 {
			do()
		}
	})
}

// A search that is stopped before any of its cells is judged has a model all
// the same, and says of how many rows.
func TestFirstModelOfAStoppedSearch(t *testing.T) {
	for _, l := range []string{"svm", "ridge"} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := simple(l, data.Binary)
		s.Problem = toy(1000, data.Binary, 2)
		s.Budget, s.clock = time.Minute, newWorkClock()
		s.Metric = onManyRows(cancel)
		r, err := s.Run(ctx)
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if r.Model == nil || r.Model.Rows > firstRows || r.judged != r.Model.Rows || !r.Interrupted || len(r.Warnings) != 1 {
			t.Fatalf("%s: model %v, judged on %d rows, interrupted %v, warnings %q", l, r.Model, r.judged, r.Interrupted, r.Warnings)
		}
		if r.Chosen.Mean < 0.5 || r.Chosen.String() != r.Best.String() {
			t.Errorf("%s: chosen %v of mean %g, best %v", l, r.Chosen, r.Chosen.Mean, r.Best)
		}
		for _, f := range r.Folds {
			if all := append(slices.Clone(f.Train), f.Test...); len(all) != r.judged || slices.Min(all) < 0 || slices.Max(all) >= 1000 || slices.Max(all) < r.judged {
				t.Errorf("%s: a fold has %d rows from %d to %d", l, len(all), slices.Min(all), slices.Max(all))
			}
		}
	}
}

// A first model that takes too long is made of a fifth of the rows, or not at all.
func TestFirstModelInItsTime(t *testing.T) {
	for _, c := range []struct {
		slow, rows int // scores of so many rows take long; rows of the model
	}{{101, firstRows}, {21, firstRows / 5}, {0, 0}} {
		ctx, cancel := context.WithCancel(context.Background())
		s := simple("ridge", data.Binary)
		s.Problem = toy(1000, data.Binary, 2)
		clock := newWorkClock()
		s.Budget, s.clock, s.Threads = time.Minute, clock, 1
		s.Metric = costly(Metrics(data.Binary)[0], func(rows int) {
			switch {
			case rows > firstRows/5:
				cancel()
			case rows >= c.slow:
				clock.pass(firstTime)
			}
		})
		r, err := s.Run(ctx)
		switch {
		case c.rows == 0 && (err == nil || !strings.Contains(err.Error(), "stopped before any cell was judged")):
			t.Errorf("no time for a first model: %v, %v", r, err)
		case c.rows > 0 && (err != nil || r.Model.Rows != c.rows):
			t.Errorf("a model of %d rows is wanted: %v, %v", c.rows, r, err)
		}
		if most := 4 * firstTime; clock.now().Sub(newWorkClock().now()) > most {
			t.Errorf("it took more than %v", most)
		}
		cancel()
	}
}

// Stopped after some cells, the search returns the better of them and the first
// model.
func TestFirstModelAgainstJudgedCells(t *testing.T) {
	for _, c := range []struct {
		what  string
		low   float64 // taken off the score of cells on all rows
		first bool    // the first model is returned
	}{{"worse cells", 0.6, true}, {"better cells", -1, false}} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := simple("ridge", data.Binary)
		s.Problem = toy(1000, data.Binary, 2)
		s.Budget, s.clock = time.Minute, newWorkClock()
		score := Metrics(data.Binary)[0].Score
		s.Metric = Metrics(data.Binary)[0]
		s.Metric.Score = func(p learn.Predictions) float64 {
			if len(p.Rows) > firstRows/5 {
				return score(p) - c.low
			}
			return score(p)
		}
		s.Trace = func(Event) { cancel() }
		r, err := s.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Interrupted || (r.judged <= firstRows) != c.first {
			t.Errorf("%s: judged on %d rows, interrupted %v; the first model is wanted: %v", c.what, r.judged, r.Interrupted, c.first)
		}
	}
}

// A search that is not stopped has the same bits with a first model as without
// one: no cell, fit or line of the trace more.
func TestFirstModelLeavesNoTrace(t *testing.T) {
	run := func(budget time.Duration) (r *Result[kernel.Vec], events []int) {
		s := simple("svm", data.Binary)
		s.Problem = toy(1200, data.Binary, 2)
		s.Budget, s.clock = budget, newWorkClock()
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
		t.Errorf("told %v, %d fits, chosen %v; want %v, %d, %v", told, with.Fits, with.Chosen, wanted, without.Fits, without.Chosen)
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
