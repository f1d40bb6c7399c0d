package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/tune"
)

// timePlan divides --time, which holds for the whole command: reading, search, last fit, test,
// files and report.
type timePlan struct {
	begun time.Time
	total time.Duration
	page  bool // a report is asked for
}

// reserved is kept for what comes after the test: the model's file, the figures of the report and
// its learning curve.
func (p timePlan) reserved() time.Duration {
	if p.page {
		return p.total / 10
	}
	return p.total / 50
}

// search is the time for everything up to the test, and how much of it is gone by now.
func (p timePlan) search(now time.Time) (budget, spent time.Duration) {
	return p.total - p.reserved(), now.Sub(p.begun)
}

// curve is the time for the learning curve, when the other figures are drawn: what is left but for
// a moment to write the page.
func (p timePlan) curve(now time.Time) time.Duration {
	return p.begun.Add(p.total).Sub(now) - p.total/100
}

// reading is a context for reading the data, which must leave something of the time.
func (p timePlan) reading(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, p.begun.Add(p.total*4/5), errReadingTooLong)
}

var errReadingTooLong = errors.New("reading took too long")

// least writes a time that would do, of which a part is kept for the report: whole seconds.
func (p timePlan) least(search time.Duration) string {
	whole := time.Duration(float64(search) * float64(p.total) / float64(p.total-p.reserved()))
	if rest := whole % time.Second; rest > 0 {
		whole += time.Second - rest
	}
	return whole.String()
}

// refuse words what a time budget that is too short has in common: what took so long, and what
// would do.
func (p timePlan) refuse(err error, read, size int64) error {
	var short *tune.TooShort
	var unfit *tune.NotFitted
	switch {
	case errors.As(err, &unfit) && errors.As(err, &short):
		return fmt.Errorf("--learner: %w\n  nothing was written; the least --time that would do is about %s", unfit,
			p.least(short.Least))
	case errors.As(err, &unfit):
		return fmt.Errorf("--learner: %w\n  nothing was written; give other parameters, another kernel or another learner",
			unfit)
	case errors.As(err, &short):
		return usage("--time: %v is too short: %s; the least that would do is about %s", p.total, short.Why,
			p.least(short.Least))
	case !errors.Is(err, errReadingTooLong):
		return err
	case read <= 0 || size <= 0:
		return usage("--time: %v is too short: the data were not read by then; give several times as much", p.total)
	}
	all := time.Duration(float64(p.total*4/5) * float64(size) / float64(read))
	return usage("--time: %v is too short: %d %% of the data were read in %v of it; the least that would do is about %s",
		p.total, 100*read/size, p.total*4/5, p.least(all*3/2+2*time.Second))
}

// tooLong says in a report why there is no learning curve.
func tooLong(given time.Duration) string {
	return fmt.Sprintf("There is no learning curve: the %s that were left of --time are too short for its fits.",
		max(given, 0).Round(10*time.Millisecond))
}
