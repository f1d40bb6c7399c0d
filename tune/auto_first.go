package tune

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// The first answer of Auto comes before all that a search begins with: what texts are counted by,
// length-scales of columns, weights of kernels. It is a search of one setting on few rows, by what
// is cheapest of each: words, the median distance, an even sum. It is the result where the search is
// stopped, or out of time, before it has an answer of its own, which is better; nothing else looks
// at it.

// Rows of a first answer of Auto. Few centres, and the linear machines of texts, take as long as
// there are rows; learners that were named may take n³, and two objects may take any time.
const (
	cheapRows  = 1000
	namedFirst = 100
	objectRows = 100
)

// earlyAnswer is the first answer with what it was found by: the zero value is none.
type earlyAnswer struct{ found *AutoResult }

// early makes the first answer in the time that is allowed.
func (o AutoOptions) early(
	ctx context.Context, d *data.Dataset, r *AutoResult, start time.Time, allowed time.Duration,
) earlyAnswer {
	clock := clockOr(o.clock)
	within, cancel := clock.until(ctx, clock.now().Add(allowed))
	defer cancel()
	o.first, o.Trace, o.Encoder.Texts = true, nil, maps.Clone(o.Encoder.Texts)
	if o.Evidence { // which climbs on all rows
		o.Evidence = false
		if o.Learners == nil {
			o.Learners = []string{"gp"}
		}
	}
	own := *r
	own.Why, own.Notes, own.Warnings = slices.Clone(r.Why), slices.Clone(r.Notes), slices.Clone(r.Warnings)
	if err := o.find(within, d, &own, start); err != nil || resultOf(&own) == nil {
		return earlyAnswer{} // what is wrong is said by the search
	}
	return earlyAnswer{&own}
}

// instead is the first answer in place of a search that ended without one by the error: because it
// was stopped, or out of time. A moment more is better than nothing.
func (f earlyAnswer) instead(
	ctx context.Context, err error, budget time.Duration, late func() earlyAnswer,
) (*AutoResult, error) {
	var short *TooShort
	if ctx.Err() == nil && !errors.As(err, &short) {
		return nil, err
	}
	if f.found == nil && ctx.Err() == nil && budget >= lateTime { // of less it would be no moment
		f = late()
	}
	if f.found == nil {
		return nil, err
	}
	return f.found, nil
}

// firstRows is how many rows the first answer is of.
func (a *autoRun) firstRows() int {
	p := a.p
	least := 20 * p.ClassCount()
	switch {
	case ofObjects(p.Points):
		return max(objectRows, least)
	case a.o.Learners != nil || len(p.More) > 0 || p.Noise != nil:
		return max(namedFirst, least)
	}
	return cheapRows
}

// answer judges and fits the first candidate on few rows.
func (a *autoRun) answer(ctx context.Context, s Search) (*Result, error) {
	chosen := s.standIn
	if len(s.Problem.More) > 0 || s.Problem.Noise != nil { // few centres do not take them
		s.standIn = false
	}
	at := max(slices.IndexFunc(s.Candidates, func(c Candidate) bool { return !c.ownKernel() }), 0)
	s.Candidates, s.Journal, s.Trace, s.Strategy = []Candidate{s.Candidates[at].known(s.Problem)}, "", nil, nil
	e, err := s.engine()
	if err != nil {
		return nil, err
	}
	l := s.ladder(e)
	if l == nil || len(l.trials) == 0 {
		return nil, fault.Errorf("tune", "no first answer is cheap")
	}
	l.trials = l.trials[:1]
	rows := e.p.Len()
	if l.named || l.objects {
		rows = max(rows/namedLess, leastFirst, 10*e.p.ClassCount())
	}
	if !l.step(ctx, rows, a.end) {
		return nil, fault.Errorf("tune", "no first answer in time")
	}
	res := &Result{Metric: e.metric, Second: e.second, Folds: e.folds, Fits: l.held.best.Fits, held: l.held,
		first: true}
	l.held.standsIn(res, 0, a.p.Len(), "there was no time for more than a first answer")
	if chosen {
		res.StandIn = res.Warnings[len(res.Warnings)-1]
	}
	return res, nil
}

// known is a candidate whose learner climbs the evidence, with the parameters that it would begin
// with: one factor of the matrix. Others are themselves.
func (c Candidate) known(p learn.Problem[any]) Candidate {
	l, err := c.entry()
	asked := slices.ContainsFunc(c.Axes, func(a Axis) bool { return a.Name == "noise" || a.Name == "likelihood" })
	if err != nil || !l.Evidence || asked || p.Noise != nil || len(p.More) > 0 {
		return c
	}
	if c.Use = nil; p.Task == data.Regression {
		variance := p.Deviation() * p.Deviation()
		if !c.given {
			c.Kernel = kernel.Scale(variance, c.Kernel)
		}
		c.Axes = append(slices.Clone(c.Axes), Axis{Name: "noise", Values: []float64{firstNoise * variance}, listed: true})
	}
	c.hold = nil
	for _, q := range kernel.Params(c.Kernel) {
		c.hold = append(c.hold, q.Name)
	}
	return c
}

// firstNoise is the share of the target's variance that a process takes for noise before it knows.
const firstNoise = 0.1

// ownKernel says that the learner of a candidate does not use its kernel.
func (c Candidate) ownKernel() bool {
	if c.KernelName == ownKernel {
		return true
	}
	l, err := c.entry()
	return err == nil && l.OwnKernel
}
