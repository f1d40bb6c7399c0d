package tune

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Where a search will take all of its time the best cell of the first group, two cells of five
// folds, is fitted at once.
func TestLeaderIsFittedEarly(t *testing.T) {
	var fits []int
	clock := newWorkClock()
	s := Search{Problem: toy(200, data.Regression, 2), Budget: 10 * time.Second, Threads: 1, clock: clock}
	s.Candidates = []Candidate{laborious(clock,
		func(rows int) time.Duration { return time.Duration(rows) * time.Millisecond }, &fits)}
	r := mustRun(t, s)
	if fits[10] != 200 || r.Model == nil || r.Model.Rows != 200 || len(r.Warnings) > 0 {
		t.Errorf("fits of %v rows, model %v, %q", fits, r.Model, r.Warnings)
	}
}

// A cell that comes later, is better, and cannot be fitted on all rows in time leaves the leader.
func TestLeaderStandsIn(t *testing.T) {
	whole := 0
	clock := newWorkClock()
	s := Search{Problem: toy(200, data.Regression, 2), Budget: 10 * time.Second, Threads: 1, clock: clock}
	s.Candidates = []Candidate{{Learner: "slower", Kernel: vec(kernel.Gaussian{}),
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.1, 10, 50)}},
		Custom: &Custom{Fit: func(ctx context.Context, k kernel.Kernel[any], _ map[string]float64,
			p learn.Problem[any]) (Predictor, error) {
			took := 200 * time.Millisecond
			if p.Len() == 200 {
				if whole++; whole > 1 {
					took = time.Minute
				}
			}
			for range 100 {
				if clock.pass(took / 100); ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			off := 1 / kernel.Concrete(k).(kernel.Gaussian).Lengthscale // the widest is the best
			return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
				out := learn.Predictions{Value: make([]float64, x.Len())}
				for i := range out.Value {
					out.Value[i] = off
				}
				return out, nil
			}), nil
		}}}}
	r := mustRun(t, s)
	if whole != 2 || r.Model == nil || r.Model.Rows != 200 || !r.Interrupted || r.Best.Params[0].Value <= 0.1 ||
		r.Chosen.Params[0].Value != 0.1 {
		t.Errorf("%d fits of all rows, best %v, chosen %v, model %v", whole, r.Best, r.Chosen, r.Model)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "which was fitted early") {
		t.Errorf("not said: %q", r.Warnings)
	}
}
