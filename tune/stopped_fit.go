package tune

import (
	"context"
	"time"
)

// stopGrace is what a stopped search may still spend on its model, so that a
// person who pressed Ctrl-C gets one and is not kept waiting.
const stopGrace = 300 * time.Millisecond

// fitInTime fits on all rows. Where ctx is cancelled, before or meanwhile, it
// fits on growing parts of the rows for as long as stopGrace allows, and
// returns the last that came to its end.
func (e *engine[T]) fitInTime(ctx context.Context, fit func(context.Context, Problem[T]) (*Fitted[T], error)) (*Fitted[T], error) {
	if ctx.Err() == nil {
		m, err := fit(ctx, e.p)
		if err == nil || ctx.Err() == nil {
			return m, err
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	const least = 300
	var best *Fitted[T]
	n := e.p.Len()
	for rows := min(least, n); ; rows = min(2*rows, n) {
		part := e.p
		if rows < n {
			part = e.p.Gather(someRows(e.p, rows, 0))
		}
		begun := time.Now()
		m, err := fit(grace, part)
		if err != nil && best == nil && rows == n {
			return nil, err
		}
		if err == nil {
			best = m
		}
		// The next step takes about eight times as long where fits are cubic.
		end, _ := grace.Deadline()
		if rows == n || grace.Err() != nil || best != nil && time.Until(end) < 6*time.Since(begun) {
			if best == nil {
				return nil, err
			}
			return best, nil
		}
	}
}
