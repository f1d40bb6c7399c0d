package tune

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// inTime fails when more than a tenth of the budget (and the time it takes to
// heed a context) was overrun. A machine that others use stops this process at any
// time, for as long as it likes: an overrun fails only where the process had at
// least nine tenths of one processor while it ran, which is said otherwise.
func inTime(t *testing.T, what string, budget time.Duration, work func()) (busy bool) {
	t.Helper()
	const heed = 100 * time.Millisecond
	used, start := processorTime(), time.Now()
	work()
	took := time.Since(start)
	had := float64(processorTime()-used) / float64(took)
	switch {
	case took <= budget*11/10+heed:
	case had < 0.9:
		t.Logf("%s: took %v of %v, with %.0f %% of one of %d processors: the machine is too busy to tell", what, took, budget, 100*had, runtime.NumCPU())
	default:
		t.Errorf("%s: took %v of %v", what, took, budget)
	}
	return had < 0.9*float64(runtime.NumCPU())
}

// A search keeps its budget to 10 % at sizes where a grid takes many times as long.
func TestBudget(t *testing.T) {
	budgets := []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second}
	sizes := []int{300, 1500, 4000}
	if testing.Short() {
		budgets, sizes = []time.Duration{time.Second}, sizes[1:2]
	}
	for _, budget := range budgets {
		for _, n := range sizes {
			for _, l := range []string{"svm", "ridge", "gp", "logistic"} {
				s := simple(l, data.Binary)
				if l == "gp" {
					s = simple(l, data.Regression)
				}
				if testing.Short() && l == "logistic" {
					continue
				}
				s.Problem = toy(n, s.Problem.Task, 2)
				c := &s.Candidates[0]
				if l == "gp" {
					c.Kernel = kernel.Scale[kernel.Vec](1, kernel.Gaussian{})
					c.Axes = nil
				} else {
					c.Axes[0].Values, c.Axes[1].Values = learn.LogSpace(0.05, 20, 40), learn.LogSpace(0.01, 1e4, 40)
				}
				s.Budget = budget
				what := fmt.Sprintf("%s, %d rows, %v", l, n, budget)
				var r *Result[kernel.Vec]
				var err error
				busy := inTime(t, what, budget, func() { r, err = s.Run(context.Background()) })
				if err != nil {
					// One process on thousands of rows may be more than there is time
					// for, and so may anything on a machine that others use.
					if busy || l == "gp" || n > 2000 {
						t.Logf("%s: %v", what, err)
						continue
					}
					t.Fatalf("%s: %v", what, err)
				}
				if r.Model == nil || l != "gp" && n > 1000 && !r.Interrupted {
					t.Errorf("%s: interrupted %v, model %v", what, r.Interrupted, r.Model)
				}
				t.Logf("%s: %v, %d cells, %q", what, r.Elapsed, len(r.Cells), r.Warnings)
			}
		}
	}
}

// A cancelled search ends at once, with a model within a second.
func TestCancel(t *testing.T) {
	for _, model := range []bool{false, true} {
		s := simple("svm", data.Binary)
		s.Problem = toy(1500, data.Binary, 2)
		s.Candidates[0].Axes[0].Values, s.Candidates[0].Axes[1].Values = learn.LogSpace(1, 20, 40), learn.LogSpace(0.01, 1, 4)
		s.NoModel = !model
		ctx, cancel := context.WithCancel(context.Background())
		limit := 100 * time.Millisecond
		if model {
			limit = time.Second
		}
		stopped := make(chan time.Time, 1)
		s.Trace = func(Event) {
			select {
			case stopped <- time.Now():
				cancel()
			default:
			}
		}
		used := processorTime()
		r, err := s.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(<-stopped)
		if took > limit+100*time.Millisecond && float64(processorTime()-used) > 0.9*float64(r.Elapsed) {
			t.Errorf("model %v: stopping took %v", model, took)
		}
		if !r.Interrupted || (r.Model != nil) != model || len(r.Cells) == 0 {
			t.Errorf("model %v: interrupted %v, %d cells, model %v", model, r.Interrupted, len(r.Cells), r.Model)
		}
	}
}

// The pace refuses what cannot end in time and keeps time for the last fit.
func TestPace(t *testing.T) {
	p := newPace(time.Now(), 10*time.Second, true, false)
	until, ok := p.group(0, 0.3)
	if left := time.Until(until).Seconds(); !ok || left > 9.7/1.3 || left < 9.6/1.3 {
		t.Errorf("a first group may take %gs, %v", left, ok)
	}
	p.lead(0.5, 4*time.Second) // its last fit: 2 s
	until, _ = p.group(0, 0.3)
	if left := time.Until(until).Seconds(); left > 7.7 || left < 7.3 {
		t.Errorf("a group beside a leader may take %gs", left)
	}
	p.took(0, 9*time.Second)
	if _, ok := p.group(0, 0.3); ok {
		t.Error("a group that takes 9 s was begun with less left")
	}
	if _, ok := p.group(1, 0.3); !ok {
		t.Error("another candidate's group was refused")
	}
	late := newPace(time.Now().Add(-3*time.Second), 3*time.Second, false, false)
	if _, ok := late.group(0, 0.5); ok || !late.late() {
		t.Error("a group was begun after the end")
	}
	if free := newPace(time.Now(), 0, true, false); free.late() {
		t.Error("no budget, and late")
	}
}
