package tune

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// fallback is what a search with a time budget has in hand from its beginning: ridge regression on few centres, judged on
// the folds of the search and fitted on all rows, in time that grows as their number and not as their square. It is
// the result where the search is stopped before a better cell is judged, or where the last fit cannot be had in time. Nothing
// else looks at it: a search that comes to its end has the bits that it would have without.
type fallback struct {
	engine *engine // light: its candidates, to fit them again
	cells  []Cell
	folds  []data.Fold
	best   Cell
	model  *Fitted
}

// Time and rows of the fallback: a share of the budget at the most, more of a short one, once to judge it and once to fit it; on most data it takes a
// hundredth of that. Of fewer rows than that there is none. lateTime is for one that had no time at first and is wanted at the end, after all.
const (
	fallbackShare = 0.1
	fallbackShort = 0.2
	fallbackLeast = 250 * time.Millisecond
	fallbackRows  = 200
	lateTime      = 700 * time.Millisecond
)

// holdFallback makes the fallback of a search with a time budget; without one the work is all that was asked for. Nil: there is
// no use for one, or no time.
func (s Search) holdFallback(ctx context.Context, e *engine) *fallback {
	if !s.mayFallBack(e) {
		return nil
	}
	budget := float64(s.Budget)
	allowed := time.Duration(max(fallbackShare*budget, min(fallbackShort*budget, float64(fallbackLeast))))
	return s.fallbackOf(ctx, e.pace.clock, e.fallbacks(), e.folds, allowed)
}

// holdLate is holdFallback when the budget has ended without a model: a moment more is better than a model of few rows, or none.
func (s Search) holdLate(ctx context.Context, e *engine) *fallback {
	if !s.mayFallBack(e) {
		return nil
	}
	late := lateTime
	if ctx.Err() != nil {
		late = grace // a person waits
	}
	return s.fallbackOf(context.WithoutCancel(ctx), e.pace.clock, e.fallbacks(), e.folds, late)
}

// mayFallBack says whether a search has a use for a fallback, and whether there is one.
func (s Search) mayFallBack(e *engine) bool {
	return s.Budget > 0 && !s.noFallback && e.kept == nil && e.p.Task != data.Unsupervised && len(e.p.More) == 0 && e.p.Noise == nil && len(e.fallbacks()) > 0
}

// fallbacks are the candidates of the fallback: few centres with the kernel of the first candidate and with the linear
// one, where that is among the candidates. Nothing stands in for a learner of one's own.
func (e *engine) fallbacks() (out []Candidate) {
	for i, s := range e.spaces {
		if i > 0 && (kernelName(s.Kernel) != "linear" || kernelName(out[0].Kernel) == "linear") {
			continue
		}
		if s.Custom != nil {
			return nil
		}
		middle := make([]float64, s.kernelAxes)
		for a := range middle {
			middle[a] = s.axes[a].Values[len(s.axes[a].Values)/2]
		}
		if out = append(out, s.fewCenters(middle, 0, e.p.Points)); len(out) == 2 {
			break
		}
	}
	return out
}

// fewCenters is ridge regression on centres with the kernel at the given values of its axes: on as many centres as the learner thinks
// right, where count is 0. The penalties are in units of k(x, x), which a kernel with a variance of its own may have in millions.
func (s *space) fewCenters(theta []float64, count int, x data.Points[any]) Candidate {
	c := Candidate{Learner: "nystrom", Kernel: s.Kernel, NoIntercept: s.NoIntercept}
	for a := range s.kernelAxes {
		c.Axes = append(c.Axes, Axis{Name: s.axes[a].Name, Values: []float64{theta[a]}, Linear: s.axes[a].Linear})
	}
	size := 1.0
	if k, err := s.kernelAt(theta); err == nil {
		size = meanDiagonal(k, x)
	}
	c.Axes = append(c.Axes, Axis{Name: "lambda", Values: learn.LogSpace(1e-6*size, 100*size, 9)})
	if count > 0 {
		c.Axes = append(c.Axes, Axis{Name: "centres", Values: []float64{float64(count)}, Linear: true})
	}
	return c
}

// meanDiagonal is k(x, x) on average over a hundred points, 1 where that is no positive number.
func meanDiagonal(k kernel.Kernel[any], x data.Points[any]) float64 {
	sum, n := 0.0, min(x.Len(), 100)
	for i := range n {
		at := x.At(i * x.Len() / n)
		sum += k.Eval(at, at) / float64(n)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return 1
	}
	return sum
}

// fallbackOf judges candidates and fits the best, within the time allowed for each of the two: on all rows, or where that takes
// too long on a fifth of them.
func (s Search) fallbackOf(ctx context.Context, c clock, candidates []Candidate, folds []data.Fold, allowed time.Duration) *fallback {
	if len(candidates) == 0 {
		return nil
	}
	p := s.Problem
	s.Candidates, s.Journal, s.Trace, s.Race, s.Strategy = candidates, "", nil, false, nil
	for _, part := range []int{1, 5} {
		rows := []int(nil)
		if s.Folds = folds; part > 1 {
			if p.Len()/part < fallbackRows {
				break
			}
			rows = someRows(p, p.Len()/part, s.Seed)
			s.Problem, s.Folds = p.Gather(rows), nil
		}
		if f := s.fallbackOn(ctx, c, rows, allowed); f != nil {
			return f
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil
}

// fallbackOn is the fallback of the rows of the problem, which are those numbered rows of the whole; nil: all.
func (s Search) fallbackOn(ctx context.Context, c clock, rows []int, allowed time.Duration) *fallback {
	e, err := s.engine()
	if err != nil {
		return nil // too few rows of a class, or of a group, for the folds
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
	f := &fallback{engine: e.light(), cells: e.table(), folds: e.folds}
	if rows != nil {
		f.folds = foldsOf(rows, e.folds)
	}
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

// foldsOf counts folds of some rows in the rows of the whole.
func foldsOf(rows []int, folds []data.Fold) (out []data.Fold) {
	for _, f := range folds {
		out = append(out, data.Fold{Train: data.Take(rows, f.Train), Test: data.Take(rows, f.Test)})
	}
	return out
}

// leads says whether the fallback is better than the best cell of a search that was stopped, where it found one: the
// first cells of a path are far from its best.
func (f *fallback) leads(by Metric, best Cell, found bool) bool {
	return f != nil && (!found || by.better(f.best.Mean, best.Mean))
}

// standsIn makes the fallback the result of a search of so many rows. Its cells are listed after the others, as those of
// further candidates, where they were judged on the same rows.
func (f *fallback) standsIn(r *Result, candidates, rows int, why string) {
	if f.model.Rows < rows {
		r.Cells, candidates = nil, 0
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
	r.Chosen, r.Model, r.Folds, r.judged, r.fellBack, r.Interrupted = r.Best, f.model, f.folds, f.model.Rows, why, true
	r.held = f // one that was made late is not there yet
	r.refit = func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
		return f.engine.fitRows(ctx, f.best, p)
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("%s; this is %v, on %s", why, r.Chosen, ofRows(f.model.Rows, rows)))
}

// ofRows says how many of the rows a model is of.
func ofRows(some, all int) string {
	if some == all {
		return fmt.Sprintf("all %s rows", data.Thousands(all))
	}
	return fmt.Sprintf("%s of %s rows", data.Thousands(some), data.Thousands(all))
}
