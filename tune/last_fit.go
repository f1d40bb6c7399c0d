package tune

import (
	"context"
	"time"

	"github.com/mercer-ml/mercer/learn"
)

// Limits of the last fit.
const (
	overrun = 1.03                   // times the budget: when a fit on all rows is given up
	grace   = 100 * time.Millisecond // after the context was cancelled
	quick   = 80 * time.Millisecond  // for each smaller fit after that

	mostHurried = 2000 // rows of the first of those
)

// lastFit fits a cell, judged on so many rows, on all rows. A cancelled search still gets its model,
// within a second: where all rows take longer than the time left, a third of them is taken, and so on.
func (e *engine[T]) lastFit(ctx context.Context, c Cell, judged int) (m *Fitted[T], rows int, err error) {
	if m, ok := e.kept.of(c); ok {
		return m, e.p.Len(), nil
	}
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if e.pace.budget > 0 {
		left := time.Duration(overrun*float64(e.pace.budget)) - e.pace.since(e.pace.start)
		if judged < e.p.Len() {
			left /= 2 // there is little hope, and the rows it was judged on take time too
		}
		defer e.pace.clock.after(left, cancel)()
	}
	stop := context.AfterFunc(ctx, func() { e.pace.clock.after(grace, cancel) })
	defer stop()
	m, err = e.fitRows(limited, c, e.p)
	if err == nil || limited.Err() == nil {
		return m, e.p.Len(), err
	}
	least := min(2*max(e.p.ClassCount(), 10), e.p.Len())
	rows = min(e.p.Len()/3, judged)
	if ctx.Err() != nil {
		rows = min(rows, mostHurried) // two tries at most, or the program ends before its model is written
	}
	for ; rows > least; rows /= 3 {
		short, cancel := e.pace.clock.until(context.WithoutCancel(ctx), e.pace.clock.now().Add(quick))
		m, err = e.fitRows(short, c, e.p.Gather(someRows(e.p, rows, 0)))
		cancel()
		if err == nil || short.Err() == nil {
			return m, rows, err
		}
	}
	m, err = e.fitRows(context.WithoutCancel(ctx), c, e.p.Gather(someRows(e.p, least, 0)))
	return m, least, err
}

// fitRows fits a cell on the rows of a problem.
func (e *engine[T]) fitRows(ctx context.Context, c Cell, p learn.Problem[T]) (*Fitted[T], error) {
	s := e.spaces[c.Candidate]
	k, err := s.kernelAt(c.theta)
	if err != nil {
		return nil, err
	}
	proba := e.metric.NeedsProb || e.calibrate
	fit := func(ctx context.Context, p learn.Problem[T]) (*Fitted[T], error) {
		return fitOne(ctx, s, e.settings(s, k, s.learnerAt(c.theta), e.threads, proba), p)
	}
	m, err := fit(ctx, p)
	if err == nil && proba {
		m.calibrate(ctx, p, fit)
	}
	return m, err
}

// calibrate gives a classifier that has no probabilities of its own those of its
// decision values on folds. Where there is no time for that, or too few points of a class, it stays as it is.
func (f *Fitted[T]) calibrate(ctx context.Context, p learn.Problem[T], fit func(context.Context, learn.Problem[T]) (*Fitted[T], error)) {
	c, ok := f.Model.(learn.Classifier[T, int])
	if p, has := f.Model.(learn.Probabilistic[T]); !ok || has && p.HasProba() {
		return
	}
	refit := func(ctx context.Context, rows []int) (learn.Classifier[T, int], error) {
		part, err := fit(ctx, p.Gather(rows))
		if err != nil {
			return nil, err
		}
		return part.Model.(learn.Classifier[T, int]), nil
	}
	if m, err := learn.Calibrate(ctx, c, refit, p.Points, p.Codes(), 0); err == nil {
		f.Model = m
	}
}
