package tune

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// fallback is what a search with a time budget has in hand from its beginning: a first answer
// (first.go), judged on the folds of the search and fitted. It is the result where the search is
// stopped before a better cell is judged, or where the last fit cannot be had in time. Nothing else
// looks at it: a search that comes to its end has the bits that it would have without.
//
// Where the learners were named, it is one of them on fewer rows. Where they are the program's own
// choice, it is ridge regression on few centres, in time that grows as the number of rows and not
// as its square: a stand-in, which the result says.
type fallback struct {
	engine *engine // light: its candidates, to fit them again
	cells  []Cell
	folds  []data.Fold
	best   Cell
	model  *Fitted
	train  int  // rows that it was fitted on in each fold, at the most
	named  bool // it is of a learner that was asked for
}

// Time and rows of the fallback: a share of the budget at the most, more of a short one, once to
// judge it on all rows and once to fit it; on most data it takes a hundredth of that. lateTime is
// for one that had no time at first and is wanted at the end, after all.
const (
	fallbackShare = 0.1
	fallbackShort = 0.2
	fallbackLeast = 250 * time.Millisecond
	lateTime      = 700 * time.Millisecond
)

// allowedFirst is the time that the fallback may take once there is a first answer.
func (s Search) allowedFirst() time.Duration {
	budget := float64(s.Budget)
	return time.Duration(max(fallbackShare*budget, min(fallbackShort*budget, float64(fallbackLeast))))
}

// holdFallback makes the fallback of a search with a time budget; without one the work is all that
// was asked for. Nil: there is no use for one, or no time.
func (s Search) holdFallback(ctx context.Context, e *engine) *fallback {
	if !s.mayFallBack(e) {
		return nil
	}
	allowed := s.allowedFirst()
	first := s.firstAnswer(ctx, e, allowed)
	if !s.standIn || first == nil || ctx.Err() != nil || e.beginsLinear() { // of which all rows come next
		return first
	}
	if all := s.fallbackOf(ctx, e.pace.clock, e.fallbacks(), e.folds, allowed); all != nil &&
		!e.metric.better(first.best.Mean, all.best.Mean) {
		return all
	}
	return first
}

// holdLate is holdFallback when the budget has ended without a model: a moment more is better than
// none.
func (s Search) holdLate(ctx context.Context, e *engine) *fallback {
	if !s.mayFallBack(e) {
		return nil
	}
	late := lateTime
	if ctx.Err() != nil {
		late = grace // a person waits
	}
	within, cancel := e.pace.clock.until(context.WithoutCancel(ctx), e.pace.clock.now().Add(late))
	defer cancel()
	return s.firstAnswer(within, e, late)
}

// mayFallBack says whether a search has a use for a fallback, and whether there is one.
func (s Search) mayFallBack(e *engine) bool {
	switch {
	case s.Budget == 0 || e.kept != nil || e.p.Task == data.Unsupervised:
		return false
	case s.standIn:
		return len(e.p.More) == 0 && e.p.Noise == nil && len(e.fallbacks()) > 0
	}
	return len(e.firstOfNamed()) > 0
}

// fallbacks are the candidates of a stand-in: few centres with the kernel of the first candidate
// and with the linear one, where that is among the candidates. Nothing stands in for a learner of
// one's own.
func (e *engine) fallbacks() []Candidate { return e.few() }

func (e *engine) makeFallbacks() (out []Candidate) {
	for i, s := range e.spaces {
		if i > 0 && (kernelName(s.Kernel) != "linear" || kernelName(out[0].Kernel) == "linear") {
			continue
		}
		if s.Custom != nil {
			return nil
		}
		if out = append(out, s.fewCenters(s.middle()[:s.kernelAxes], 0, e.p, e.lambdas)); len(out) == 2 {
			break
		}
	}
	return out
}

// middle is the setting in the middle of every axis.
func (s *space) middle() []float64 {
	out := make([]float64, len(s.axes))
	for a := range out {
		out[a] = s.axes[a].Values[len(s.axes[a].Values)/2]
	}
	return out
}

// fewCenters is ridge regression on centres with the kernel at the given values of its axes: on as
// many centres as the learner thinks right, where count is 0. The penalties are in units of k(x,
// x), which a kernel with a variance of its own may have in millions.
func (s *space) fewCenters(theta []float64, count int, p learn.Problem[any], lambdas []float64) Candidate {
	c := Candidate{Learner: "nystrom", Kernel: s.Kernel, NoIntercept: s.NoIntercept}
	for a := range s.kernelAxes {
		c.Axes = append(c.Axes, Axis{Name: s.axes[a].Name, Values: []float64{theta[a]}, Linear: s.axes[a].Linear})
	}
	size := 1.0
	if k, err := s.kernelAt(theta); err == nil {
		if k, err = fittedTo(context.Background(), k, p, 0); err == nil {
			size = meanDiagonal(k, p.Points)
		}
	}
	if lambdas == nil {
		lambdas = learn.LogSpace(1e-6*size, 100*size, 9)
	}
	c.Axes = append(c.Axes, Axis{Name: "lambda", Values: lambdas})
	if count > 0 {
		c.Axes = append(c.Axes, Axis{Name: "centres", Values: []float64{float64(count)}, Linear: true})
	}
	return c
}

// meanDiagonal is k(x, x) on average over a hundred points, 1 where that is no positive number. Of
// objects a value may take as long as a million of vectors: ten are asked for.
func meanDiagonal(k kernel.Kernel[any], x data.Points[any]) float64 {
	sum, n := 0.0, min(x.Len(), diagonalPoints(x, 100))
	for i := range n {
		at := x.At(i * x.Len() / n)
		sum += k.Eval(at, at) / float64(n)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return 1
	}
	return sum
}

// diagonalPoints is how many points k(x, x) is asked for where most would be good for vectors.
func diagonalPoints(x data.Points[any], most int) int {
	if _, ok := data.VectorsOf(x); ok {
		return most
	}
	return min(most, 10)
}

// fallbackOf judges candidates on the folds and fits the best on all rows, within the time allowed
// for each of the two; nil where that is too short.
func (s Search) fallbackOf(
	ctx context.Context, c clock, candidates []Candidate, folds []data.Fold, allowed time.Duration,
) *fallback {
	if len(candidates) == 0 {
		return nil
	}
	s.Candidates, s.Journal, s.Trace, s.Race, s.Strategy, s.Folds = candidates, "", nil, false, nil, folds
	e, err := s.engine()
	if err != nil {
		return nil
	}
	e.pace = newPace(c, allowed, false, false)
	limited, cancel := c.until(ctx, e.pace.end())
	var trials []trial
	for i, space := range e.spaces {
		values := make([][]float64, len(space.axes))
		for a, axis := range space.axes {
			values[a] = axis.Values
		}
		trials = append(trials, product(i, values)...)
	}
	err = e.evaluate(limited, trials)
	cancel()
	if err != nil && limited.Err() == nil {
		return nil
	}
	f := &fallback{engine: e.light(), cells: e.table(), folds: e.folds, train: e.p.Len()}
	best, ok := e.winner(f.cells)
	if !ok {
		return nil
	}
	limited, cancel = c.until(ctx, c.now().Add(allowed))
	defer cancel()
	err, ok = e.pace.heeded(limited, func() (err error) {
		f.model, err = e.fitRows(limited, best, e.p)
		return err
	})
	if err != nil || !ok {
		return nil
	}
	f.best = best
	return f
}

// leads says whether the fallback is better than the best cell of a search that was stopped, where
// it found one: the first cells of a path are far from its best.
func (f *fallback) leads(by Metric, best Cell, found bool) bool {
	return f != nil && (!found || by.better(f.best.Mean, best.Mean))
}

// standsIn makes the fallback the result of a search of so many rows. Its cells are listed after
// the others, as those of further candidates; those of a learner that was named are of the
// candidates that there are.
func (f *fallback) standsIn(r *Result, candidates, rows int, why string) {
	if f.named {
		candidates = 0
	}
	r.Cells = r.Cells[:len(r.Cells):len(r.Cells)]
	for _, c := range f.cells {
		c.Candidate += candidates
		r.Cells = append(r.Cells, c)
	}
	r.Best = f.best
	r.Best.Candidate += candidates
	if r.fellBack != "" { // from one of fewer rows
		r.Warnings = r.Warnings[:len(r.Warnings)-1]
	}
	r.Chosen, r.Model, r.Folds, r.judged, r.fellBack, r.Interrupted = r.Best, f.model, f.folds, rows, why, true
	r.held = f // one that was made late is not there yet
	r.refit = func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
		return f.engine.fitRows(ctx, f.best, p)
	}
	text := fmt.Sprintf("%s; this is %v, on %s", why, r.Chosen, ofRows(f.model.Rows, rows))
	if r.StandIn = ""; !f.named {
		r.StandIn = text
	}
	r.Warnings = append(r.Warnings, text)
}

// ofRows says how many of the rows a model is of.
func ofRows(some, all int) string {
	if some == all {
		return fmt.Sprintf("all %s rows", phrase.Thousands(all))
	}
	return fmt.Sprintf("%s of %s rows", phrase.Thousands(some), phrase.Thousands(all))
}
