package tune

import (
	"context"
	"time"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Limits of the last fit.
const (
	grace = 100 * time.Millisecond // after the context was cancelled
	quick = 80 * time.Millisecond  // for each smaller fit of a learner that nothing stands in for
)

// lastFit fits a cell on all rows, to the end of the budget; a cancelled search still gets its
// model, within a moment. What is in hand takes its place where that was too little time: no model
// and no error is returned then. Where it is no stand-in, but a learner that was named on few rows,
// or where there is nothing in hand, a third of the rows is tried, and a tenth; without anything in
// hand whatever it costs, which is little beside the cells that were judged.
func (e *engine) lastFit(ctx context.Context, c Cell, inHand bool) (*Fitted, error) {
	if m, ok := e.kept.of(c); ok {
		return m, nil
	}
	if m, ok := e.leader.fitted(c); ok {
		return m, nil
	}
	limited, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if e.pace.budget > 0 {
		defer e.pace.clock.after(e.pace.budget-e.pace.since(e.pace.start), cancel)()
	}
	stop := context.AfterFunc(ctx, func() { e.pace.clock.after(grace, cancel) })
	defer stop()
	var whole *Fitted
	err, ended := e.pace.heeded(limited, func() (err error) {
		whole, err = e.fitAll(limited, c)
		return err
	})
	switch {
	case ended && (err == nil || limited.Err() == nil):
		return whole, err
	case inHand && (e.standIn || e.leader != nil):
		return nil, nil
	}
	for _, rows := range []int{e.p.Len() / 3, e.fewest()} {
		if rows < e.fewest() || rows == e.fewest() && !inHand {
			continue
		}
		short, cancel := e.pace.clock.until(context.WithoutCancel(ctx), e.pace.clock.now().Add(quick))
		m, err := e.fitRows(short, c, e.p.Gather(someRows(e.p, rows, 0)))
		cancel()
		if err == nil || short.Err() == nil {
			return m, err
		}
	}
	if inHand {
		return nil, nil
	}
	return e.fitRows(context.WithoutCancel(ctx), c, e.p.Gather(someRows(e.p, e.fewest(), 0)))
}

// Where the time for the last fit was too short, and what is in hand is of so many times fewer rows
// than a third of them, that third is fitted, or a tenth, until a little after the end of the time.
const (
	muchFewer = 2
	overtime  = 0.05
)

// partFit fits a cell on some of the rows in place of what is in hand, which is of fewer and worse;
// nil where it is not, where a person waits for the end, and where there is no time even for that.
func (e *engine) partFit(ctx context.Context, c Cell, held *fallback) *Fitted {
	if held == nil || ctx.Err() != nil || e.pace.budget == 0 || !e.metric.better(c.Mean, held.best.Mean) {
		return nil
	}
	within, cancel := e.pace.clock.until(ctx, e.pace.start.Add(time.Duration((1+overtime)*float64(e.pace.budget))))
	defer cancel()
	for _, rows := range []int{e.p.Len() / 3, e.fewest()} {
		if rows < e.fewest() || rows < muchFewer*held.train {
			continue
		}
		var m *Fitted
		err, ended := e.pace.heeded(within, func() (err error) {
			m, err = e.fitRows(within, c, e.p.Gather(someRows(e.p, rows, 0)))
			return err
		})
		if err == nil && ended {
			return m
		}
	}
	return nil
}

// fewest is the fewest rows that a model is made of: a tenth, and some of each class.
func (e *engine) fewest() int {
	return min(max(e.p.Len()/10, 100, 20*e.p.ClassCount()), e.p.Len())
}

// fitRows fits a cell on the rows of a problem.
func (e *engine) fitRows(ctx context.Context, c Cell, p learn.Problem[any]) (*Fitted, error) {
	return e.fitRowsAs(ctx, c, p, e.proba())
}

// proba says whether a model is to have probabilities where its learner can.
func (e *engine) proba() bool { return e.metric.NeedsProb || e.calibrate }

// fitRowsAs is fitRows with probabilities, or without.
func (e *engine) fitRowsAs(ctx context.Context, c Cell, p learn.Problem[any], proba bool) (*Fitted, error) {
	s := e.spaces[c.Candidate]
	k, err := s.kernelAt(c.theta)
	if err != nil {
		return nil, err
	}
	return e.fitWith(ctx, s, c, k, p, proba, func(m *Fitted) error { return nil })
}

// fitWith fits a cell with a kernel on the rows of a problem. The model is finished before it is
// calibrated.
func (e *engine) fitWith(
	ctx context.Context, s *space, c Cell, k kernel.Kernel[any], p learn.Problem[any], proba bool,
	finish func(*Fitted) error,
) (*Fitted, error) {
	fit := func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
		return fitOne(ctx, s, e.settings(s, k, s.learnerAt(c.theta), e.threads, proba), p)
	}
	m, err := fit(ctx, p)
	if err == nil {
		err = finish(m)
	}
	if err != nil {
		return nil, err
	}
	if proba {
		m.calibrate(ctx, p, fit)
	}
	return m, nil
}

// calibrate gives a classifier that has no probabilities of its own those of its decision values on
// folds. Where there is no time for that, or too few points of a class, it stays as it is.
func (f *Fitted) calibrate(
	ctx context.Context, p learn.Problem[any], fit func(context.Context, learn.Problem[any]) (*Fitted, error),
) {
	c, ok := f.Model.(learn.Classifier[any, int])
	if p, has := f.Model.(learn.Probabilistic[any]); !ok || has && p.HasProba() {
		return
	}
	refit := func(ctx context.Context, rows []int) (learn.Classifier[any, int], error) {
		part, err := fit(ctx, p.Gather(rows))
		if err != nil {
			return nil, err
		}
		return part.Model.(learn.Classifier[any, int]), nil
	}
	if m, err := learn.Calibrate(ctx, c, refit, p.Points, p.Codes(), 0); err == nil {
		f.Model = m
	}
}
