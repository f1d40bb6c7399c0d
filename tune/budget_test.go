package tune

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Every learner stops within the budget, where the whole grid would take many times as long, and
// keeps the cells that were judged: a score of a fold takes some time here, and nothing else does.
func TestBudget(t *testing.T) {
	t.Parallel()
	const each, budget = 7 * time.Millisecond, 2 * time.Second
	for _, l := range []string{"svm", "ridge", "gp", "logistic"} {
		task := data.Binary
		if l == "gp" {
			task = data.Regression
		}
		s := simple(l, task)
		s.Problem = toy(60, task, 2)
		c := &s.Candidates[0]
		c.Axes[0].Values = learn.LogSpace(0.05, 20, 120)
		if len(c.Axes) > 1 {
			c.Axes[1].Values = c.Axes[1].Values[:2]
		}
		clock := newWorkClock()
		scores := 0
		s.Budget, s.clock, s.Threads = budget, clock, 1
		s.Metric = costly(Metrics(task)[0], func(int) { scores++; clock.pass(each) })
		r := mustRun(t, s)
		if !r.Interrupted || r.Model == nil || r.Model.Rows != s.Problem.Len() {
			t.Errorf("%s: interrupted %v, model %v", l, r.Interrupted, r.Model)
		}
		// The last fit is thought to take no longer than the groups did, which leaves most of the
		// time to them.
		if r.Elapsed > budget || r.Elapsed < budget*8/10 || r.Elapsed != time.Duration(scores)*each {
			t.Errorf("%s: took %v of %v, with %d scores of %v", l, r.Elapsed, budget, scores, each)
		}
		// Of the group that was under way at the end no more than a cell is lost, and there is the
		// first answer, of one setting.
		if lost := scores - len(r.Cells)*len(r.Folds) - len(r.Folds); lost < 0 || lost > 2*len(r.Folds) {
			t.Errorf("%s: %d scores made %d cells of %d folds", l, scores, len(r.Cells), len(r.Folds))
		}
	}
}

// The time that the last fit takes is kept for it: whatever a fit costs, the model is of all rows,
// and in time.
func TestBudgetKeepsTimeForTheLastFit(t *testing.T) {
	const budget = 10 * time.Second
	for _, each := range []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond,
		400 * time.Millisecond} {
		var fits []int
		clock := newWorkClock()
		s := Search{Problem: toy(200, data.Regression, 2), Budget: budget, Threads: 1, clock: clock}
		s.Candidates = []Candidate{laborious(clock, func(rows int) time.Duration { return each * time.Duration(rows) / 200 },
			&fits)}
		r := mustRun(t, s)
		if r.Model == nil || r.Model.Rows != 200 || fits[len(fits)-1] != 200 {
			t.Errorf("fits of %v: the model is of %v rows, the last fit of %d", each, r.Model, fits[len(fits)-1])
		}
		if r.Elapsed > budget {
			t.Errorf("fits of %v: took %v of %v", each, r.Elapsed, budget)
		}
		// A group is two cells of five folds; the whole grid has fifty.
		group := 10 * each * 4 / 5
		if whole := 50*group < budget*9/10; whole == r.Interrupted || whole != (len(r.Cells) == 100) {
			t.Errorf("fits of %v: interrupted %v with %d cells", each, r.Interrupted, len(r.Cells))
		}
		if left := budget - r.Elapsed; r.Interrupted && left > group+each+budget/10 {
			t.Errorf("fits of %v: ended %v early", each, left)
		}
		if r.Chosen.Params[1].Value != 1 {
			t.Errorf("fits of %v: chosen %v", each, r.Chosen)
		}
	}
}

// The last fit of a learner of one's own, for which nothing stands in, is made again on fewer rows
// where there is no time for it: a third, and if need be a tenth, but never a handful.
func TestLastFitOnFewerRows(t *testing.T) {
	const budget = 10 * time.Second
	var fits []int
	clock := newWorkClock()
	s := Search{Problem: toy(400, data.Regression, 2), Budget: budget, Threads: 1, clock: clock}
	// Folds of 320 rows take 50 ms; all 400, and 133 as well, for ever.
	s.Candidates = []Candidate{laborious(clock, func(rows int) time.Duration {
		if rows == 400 || rows == 133 {
			return time.Minute
		}
		return 50 * time.Millisecond
	}, &fits)}
	r := mustRun(t, s)
	if r.Model == nil || r.Model.Rows != 100 || fits[len(fits)-1] != 100 || !r.Interrupted || len(r.Warnings) == 0 {
		t.Fatalf("model %v, last fit of %d rows, interrupted %v, warnings %q", r.Model, fits[len(fits)-1], r.Interrupted,
			r.Warnings)
	}
	// Given up a step of a hundredth after 3 % over the budget, then 80 ms for the first fewer
	// rows, a step late.
	if most := budget*103/100 + 600*time.Millisecond + quick + 600*time.Millisecond + quick; r.Elapsed > most {
		t.Errorf("took %v, want at most %v", r.Elapsed, most)
	}
}

// A search that is cancelled in the middle of a group judges at most the folds that
// were under way; one that is to have a model fits it.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, l := range []string{"svm", "ridge", "logistic"} {
		for _, model := range []bool{false, true} {
			for _, threads := range []int{1, 3} {
				s := simple(l, data.Binary)
				s.Candidates[0].Axes[0].Values = learn.LogSpace(1, 20, 40)
				s.NoModel, s.Threads, s.clock = !model, threads, newWorkClock()
				ctx, cancel := context.WithCancel(context.Background())
				var scores atomic.Int64
				const enough = 47
				s.Metric = costly(Metrics(data.Binary)[0], func(int) {
					if scores.Add(1) == enough {
						cancel()
					}
				})
				r, err := s.Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				// Each of the groups side by side may end the solutions that it is at: one of each
				// fold.
				if after := scores.Load() - enough; after > int64(threads*5) {
					t.Errorf("%s, model %v: %d folds judged after the cancel", l, model, after)
				}
				if !r.Interrupted || (r.Model != nil) != model || len(r.Cells) == 0 {
					t.Errorf("%s, model %v: interrupted %v, %d cells, model %v", l, model, r.Interrupted, len(r.Cells), r.Model)
				}
				if model && r.Model.Rows != s.Problem.Len() {
					t.Errorf("%s: the model is of %d rows, and no time has passed since the cancel", l, r.Model.Rows)
				}
			}
		}
	}
}

// The last fit of a cancelled search is given up a moment after the cancel, for one of fewer rows.
func TestCancelledLastFit(t *testing.T) {
	clock := newWorkClock()
	ctx, cancel := context.WithCancel(context.Background())
	var fits []int
	c := laborious(clock, func(int) time.Duration { return time.Millisecond }, &fits)
	fit := c.Custom.Fit
	c.Custom.Fit = func(within context.Context, k kernel.Kernel[any], params map[string]float64,
		p learn.Problem[any]) (Predictor, error) {
		if p.Len() == 400 { // the last fit, which heeds nothing but its context
			cancel()
			clock.awaitTimer(grace)
			clock.pass(grace - 1)
			if within.Err() != nil {
				t.Error("given up before its time")
			}
			clock.pass(1)
			return nil, within.Err()
		}
		return fit(within, k, params, p)
	}
	c.Axes[0].Values = c.Axes[0].Values[:2]
	s := Search{Problem: toy(400, data.Regression, 2), Threads: 1, clock: clock, Candidates: []Candidate{c}}
	r, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r.Model == nil || r.Model.Rows != 133 || !r.Interrupted {
		t.Errorf("model %v, interrupted %v", r.Model, r.Interrupted)
	}
}

// Work that does not look at its context is left to itself a while after the end, and not before.
func TestHeeded(t *testing.T) {
	clock := newWorkClock()
	p := newPace(clock, time.Second, true, false)
	failed := errors.New("as it should")
	if err, ok := p.heeded(t.Context(), func() error { clock.pass(time.Hour); return failed }); err != failed || !ok {
		t.Errorf("work before any end: %v, %v", err, ok)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err, ok := p.heeded(ctx, func() error { cancel(); return failed }); !ok || err != failed {
		t.Errorf("work that ends with its context: %v, %v", err, ok)
	}
	ctx, cancel = context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	err, ok := p.heeded(ctx, func() error {
		cancel()
		clock.awaitTimer(60 * time.Millisecond)
		clock.pass(60 * time.Millisecond)
		<-never
		return nil
	})
	if ok || !errors.Is(err, context.Canceled) {
		t.Errorf("work that never ends: %v, %v", err, ok)
	}
}

// The pace refuses what cannot end in time and keeps time for the last fit.
func TestPace(t *testing.T) {
	clock := newWorkClock()
	near := func(got time.Duration, want float64) bool {
		return (got - time.Duration(want*1e9)).Abs() < time.Microsecond
	}
	p := newPace(clock, 10*time.Second, true, false)
	until, ok := p.group(0, 0.3)
	if left := until.Sub(clock.now()); !ok || !near(left, 9.7/1.3) {
		t.Errorf("a first group may take %v, %v", left, ok)
	}
	p.lead(0.5, 4*time.Second) // its last fit: 2 s
	until, _ = p.group(0, 0.3)
	if left := until.Sub(clock.now()); !near(left, 9.7/1.3) {
		t.Errorf("a group beside a leader may take %v", left)
	}
	p.lead(0.5, 6*time.Second) // its last fit: 3 s
	until, _ = p.group(0, 0.3)
	if left := until.Sub(clock.now()); !near(left, 6.7) {
		t.Errorf("a group beside a slow leader may take %v", left)
	}
	p.took(0, 9*time.Second)
	if _, ok := p.group(0, 0.3); ok {
		t.Error("a group that takes 9 s was begun with less left")
	}
	if _, ok := p.group(1, 0.3); !ok {
		t.Error("another candidate's group was refused")
	}
	part := p.share(0.5)
	if !near(part.budget, 9.7/2) || part.refit {
		t.Errorf("half of what is left is %v", part.budget)
	}
	clock.pass(6*time.Second + 699*time.Millisecond)
	if p.late() {
		t.Error("late before the time of the last fit")
	}
	clock.pass(time.Millisecond)
	if _, ok := p.group(1, 0.3); ok || !p.late() {
		t.Error("a group was begun in the time of the last fit")
	}
	if free := newPace(clock, 0, true, false); free.late() || free.share(0.5).late() {
		t.Error("no budget, and late")
	}
}

// A round of successive halving has its share of the time, by the same clock.
func TestBudgetOfHalving(t *testing.T) {
	const budget = 20 * time.Second
	for _, each := range []time.Duration{time.Millisecond, 30 * time.Millisecond} {
		what := fmt.Sprintf("fits of %v", each)
		var fits []int
		clock := newWorkClock()
		s := Search{Problem: toy(400, data.Regression, 2), Budget: budget, Threads: 1, clock: clock, Strategy: Halving{}}
		s.Candidates = []Candidate{laborious(clock, func(rows int) time.Duration { return each * time.Duration(rows) / 400 },
			&fits)}
		r := mustRun(t, s)
		if r.Elapsed > budget || r.Model == nil || r.Model.Rows != 400 {
			t.Errorf("%s: took %v, model %v", what, r.Elapsed, r.Model)
		}
	}
}
