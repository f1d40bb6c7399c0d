package tune

import (
	"context"
	"time"
)

// clock is what a budget is counted by: the time of the machine, or that of a test, which passes
// with the work that the test counts.
type clock interface {
	now() time.Time
	// after calls f when d has passed, unless it is stopped before.
	after(d time.Duration, f func()) (stop func() bool)
	// until is a context that ends at a time, at the latest.
	until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc)
}

// machineClock is the one of every search outside of tests.
type machineClock struct{}

func (machineClock) now() time.Time { return time.Now() }

func (machineClock) after(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

func (machineClock) until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, end)
}

// clockOr is a clock, where there is one, or the machine's.
func clockOr(c clock) clock {
	if c == nil {
		return machineClock{}
	}
	return c
}
