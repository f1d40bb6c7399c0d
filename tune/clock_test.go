package tune

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// workClock stands still until a test lets time pass: what a search does within
// a budget is then the same on every machine.
type workClock struct {
	mu     sync.Mutex
	time   time.Time
	timers []*workTimer
	set    *sync.Cond
}

type workTimer struct {
	at time.Time
	f  func()
}

func newWorkClock() *workClock {
	c := &workClock{time: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)}
	c.set = sync.NewCond(&c.mu)
	return c
}

func (c *workClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *workClock) after(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	timer := &workTimer{c.time.Add(d), f}
	if c.timers = append(c.timers, timer); d <= 0 {
		c.timers = c.timers[:len(c.timers)-1]
	}
	c.set.Broadcast()
	c.mu.Unlock()
	if d <= 0 {
		f()
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, timer)
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

func (c *workClock) until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := c.after(end.Sub(c.now()), cancel)
	return ctx, func() { stop(); cancel() }
}

// pass lets time pass. What was to happen by then has happened when it returns.
func (c *workClock) pass(d time.Duration) {
	c.mu.Lock()
	c.time = c.time.Add(d)
	var due []*workTimer
	c.timers = slices.DeleteFunc(c.timers, func(t *workTimer) bool {
		if t.at.After(c.time) {
			return false
		}
		due = append(due, t)
		return true
	})
	c.mu.Unlock()
	slices.SortStableFunc(due, func(a, b *workTimer) int { return a.at.Compare(b.at) })
	for _, t := range due {
		t.f()
	}
}

// awaitTimer returns when something is to happen within d: another goroutine has got so far.
func (c *workClock) awaitTimer(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !slices.ContainsFunc(c.timers, func(t *workTimer) bool { return !t.at.After(c.time.Add(d)) }) {
		c.set.Wait()
	}
}

// costly is a metric that does something with the number of rows before it judges them.
func costly(m Metric, do func(rows int)) Metric {
	score := m.Score
	m.Score = func(p learn.Predictions) float64 {
		do(len(p.Rows))
		return score(p)
	}
	return m
}

// laborious is a candidate whose fit takes the time that cost says of its rows, in a hundred steps
// with a look at the context after each. It predicts the mean times a factor, of which 1 is the
// best.
func laborious(c *workClock, cost func(rows int) time.Duration, fits *[]int) Candidate {
	const steps = 100
	return Candidate{Learner: "laborious", Kernel: vec(kernel.Gaussian{}),
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.1, 10, 50)},
			{Name: "factor", Values: []float64{0.5, 1}}},
		Custom: &Custom{
			Params: []kernel.Param{{Name: "factor", Value: 1, Domain: fitting.Positive}},
			Fit: func(ctx context.Context, _ kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor,
				error) {
				for range steps {
					c.pass(cost(p.Len()) / steps)
					if err := ctx.Err(); err != nil {
						return nil, err
					}
				}
				*fits = append(*fits, p.Len())
				mean := 0.0
				for _, y := range p.Y {
					mean += y / float64(p.Len())
				}
				return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
					out := learn.Predictions{Value: make([]float64, x.Len())}
					for i := range out.Value {
						out.Value[i] = params["factor"] * mean
					}
					return out, nil
				}), nil
			}}}
}

// The clock of a search that was given none is the machine's: a context of it ends,
// and what is to happen later happens. A machine that hangs is told by the test's own time limit.
func TestMachineClock(t *testing.T) {
	c := clockOr(nil)
	ctx, cancel := c.until(t.Context(), c.now().Add(time.Millisecond))
	defer cancel()
	<-ctx.Done()
	happened := make(chan struct{})
	c.after(time.Millisecond, func() { close(happened) })
	<-happened
	if stop := c.after(time.Hour, func() { t.Error("an hour has passed") }); !stop() {
		t.Error("what was to happen in an hour could not be stopped")
	}
}
