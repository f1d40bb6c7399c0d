package tune

import (
	"context"
	"sync"
	"time"
)

// pace keeps a search to its time budget: a group of cells is begun only where
// it can end, and its cells be fitted on all rows, within what is left; and the time that the last
// fit of the best cell so far will take is never given away.
type pace struct {
	clock  clock
	start  time.Time
	budget time.Duration // of the search with its last fit; 0: no limit
	refit  bool          // the chosen cell is fitted on all rows at the end
	prob   bool          // with probabilities

	mu      sync.Mutex
	least   map[int]time.Duration // of each candidate, the quickest whole group
	reserve time.Duration         // for the last fit of the best cell so far
}

// closing is the share of the budget that no work is planned for: a context is
// heeded some tens of milliseconds late.
const closing = 0.03

// lastFit is the time that the last fit may take in units of the time its group took. A group fits
// every fold at every price; the last fit is one machine on all rows, from scratch. The shares are
// upper bounds seen on the sets of the benchmark, not averages.
func (s *space) lastFit(prob bool) float64 {
	if s.entry.LastFit == nil {
		return 0.5
	}
	return s.entry.LastFit(prob)
}

func newPace(c clock, budget time.Duration, refit, prob bool) *pace {
	return &pace{clock: c, start: c.now(), budget: budget, refit: refit, prob: prob, least: map[int]time.Duration{}}
}

// share is a pace of its own for a part of what is left, for work whose cells
// are not fitted at the end: a round of successive halving.
func (p *pace) share(part float64) *pace {
	if p.budget == 0 {
		return newPace(p.clock, 0, false, false)
	}
	return newPace(p.clock, time.Duration(part*float64(p.left())), false, false)
}

// end is when everything is to be over.
func (p *pace) end() time.Time {
	return p.start.Add(time.Duration((1 - closing) * float64(p.budget)))
}

// left is how long it is until then.
func (p *pace) left() time.Duration { return p.end().Sub(p.clock.now()) }

// since is the time that has passed.
func (p *pace) since(t time.Time) time.Duration { return p.clock.now().Sub(t) }

// searchEnd is when the search has to stop for the last fit.
func (p *pace) searchEnd() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end().Add(-p.reserve)
}

func (p *pace) late() bool { return p.budget > 0 && !p.clock.now().Before(p.searchEnd()) }

// group says until when a group of a candidate may take; ok is false when it
// is not worth beginning.
func (p *pace) group(candidate int, lastFit float64) (until time.Time, ok bool) {
	if p.budget == 0 {
		return time.Time{}, true
	}
	now := p.clock.now()
	until = p.searchEnd()
	if p.refit {
		own := now.Add(time.Duration(float64(p.end().Sub(now)) / (1 + lastFit)))
		if own.Before(until) {
			until = own
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	room := until.Sub(now)
	return until, room > 0 && room >= p.least[candidate]
}

// took notes how long a whole group was.
func (p *pace) took(candidate int, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if have, ok := p.least[candidate]; !ok || d < have {
		p.least[candidate] = d
	}
}

// lead sets time aside for the last fit of a cell, by the time of its group.
func (p *pace) lead(lastFit float64, group time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reserve = 0; p.refit {
		p.reserve = time.Duration(lastFit * float64(group))
	}
}

// heeded runs work that may look at its context late (an eigendecomposition
// does not look at all): some time after the context has ended it is left to
// itself, and ok is false; nothing it writes to may be read then.
func (p *pace) heeded(ctx context.Context, work func() error) (err error, ok bool) {
	const patience = 60 * time.Millisecond
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err = <-done:
		return err, true
	case <-ctx.Done():
	}
	late := make(chan struct{})
	defer p.clock.after(patience, func() { close(late) })()
	select {
	case err = <-done:
		return err, true
	case <-late:
		return ctx.Err(), false
	}
}
