package learntest

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/kernel"
)

// Countdown is a context that ends when it has been asked a given number of times whether it has.
// So a test cancels a fit at a chosen place of its work, the same on every machine, and counts what
// is still done afterwards.
type Countdown struct {
	context.Context
	cancel  context.CancelFunc
	at      int64
	counts  bool // Count was called
	asked   atomic.Int64
	values  atomic.Int64 // of a counted kernel, since the context was asked last
	longest atomic.Int64 // the most values between two asks
	late    atomic.Int64 // values after the end
	tail    atomic.Int64 // asks since the last value
}

// NewCountdown ends when it is asked for the time numbered at, counted from 1; never where at is 0.
func NewCountdown(at int) *Countdown {
	c := &Countdown{at: int64(at)}
	c.Context, c.cancel = context.WithCancel(context.Background())
	return c
}

// Err is context.Canceled from the asking on that was said at the beginning.
func (c *Countdown) Err() error {
	if c.asked.Add(1) == c.at {
		c.cancel()
	}
	c.values.Store(0)
	c.tail.Add(1)
	return c.Context.Err()
}

// Asked is how often Err was called.
func (c *Countdown) Asked() int { return int(c.asked.Load()) }

// Longest is the most values of a counted kernel between two asks.
func (c *Countdown) Longest() int { return int(c.longest.Load()) }

// Late is how many values of a counted kernel were computed after the end.
func (c *Countdown) Late() int { return int(c.late.Load()) }

// Tail is how often Err was called after the last value of a counted kernel: what heeds the context
// is then the solver itself.
func (c *Countdown) Tail() int { return int(c.tail.Load()) }

// Count is k with its values counted. It has no fast paths: each value is a call of Eval.
func (c *Countdown) Count(k kernel.Kernel[kernel.Vec]) kernel.Kernel[kernel.Vec] {
	c.counts = true
	return counted{c, k}
}

type counted struct {
	c *Countdown
	k kernel.Kernel[kernel.Vec]
}

func (k counted) Eval(x, y kernel.Vec) float64 {
	n := k.c.values.Add(1)
	for most := k.c.longest.Load(); n > most && !k.c.longest.CompareAndSwap(most, n); most = k.c.longest.Load() {
	}
	if k.c.Context.Err() != nil {
		k.c.late.Add(1)
	}
	k.c.tail.Store(0)
	return k.k.Eval(x, y)
}

// MostLooks is how often a fit may look at a context that has ended before it returns: once for
// each try of a line search (60 of them), each piece of a parallel loop and each caller on the way
// out. A counted kernel adds MostLate, as one that is only Eval is asked for before each value of
// the tile at hand.
const MostLooks = 128

// MostLate is how many values of a counted kernel may be computed after the end, or left out one by
// one: a tile.
const MostLate = 1 << 12

// Cancels ends the context of a fit at the beginning, at the end and at some places between, and
// wants the context's error each time, after at most MostLooks more looks at the context, and no
// goroutine left behind. fit is to have the same number of steps each time. After the end a counted
// kernel has at most MostLate values more. Cancels returns the context of a fit that was left
// alone.
func Cancels(t testing.TB, fit func(ctx *Countdown) error) *Countdown {
	t.Helper()
	before := runtime.NumGoroutine()
	free := NewCountdown(0)
	defer free.cancel()
	if err := fit(free); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	n := free.Asked()
	for part := range 5 {
		at := max(1, n*part/4)
		ctx := NewCountdown(at)
		if err := fit(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d of %d: error %v", at, n, err)
		}
		allowed := MostLooks
		if ctx.counts {
			allowed += MostLate
		}
		if more := ctx.Asked() - at; more > allowed {
			t.Errorf("ended at look %d of %d, and was looked at %d times more", at, n, more)
		}
		if late := ctx.Late(); late > MostLate {
			t.Errorf("ended at look %d of %d, and %d kernel values were computed afterwards", at, n, late)
		}
	}
	SettleGoroutines(t, before)
	return free
}

// SettleGoroutines waits until no more goroutines are left than there were. One that has done its
// work may take a while to end on a busy machine; one that is still there after a minute does not
// end.
func SettleGoroutines(t testing.TB, before int) {
	t.Helper()
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait == 60_000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}
