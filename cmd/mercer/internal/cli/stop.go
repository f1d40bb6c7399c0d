package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/metrics"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
)

// patience is how long a verb may take to wind up after Ctrl-C. Work that is
// deep in a factorisation by then is abandoned: the program ends all the same,
// within a second, of which the system takes some to take back gigabytes of
// kernel matrices (0.4 s for 5 GB).
func patience() time.Duration {
	const forGigabyte = 80 * time.Millisecond
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(held)
	gigabytes := float64(held[0].Value.Uint64()-held[1].Value.Uint64()) / 1e9
	return max(800*time.Millisecond-time.Duration(gigabytes*float64(forGigabyte)), 400*time.Millisecond)
}

// after is a context that ends some time after another was cancelled.
func after(ctx context.Context, wait func() time.Duration) context.Context {
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(wait(), end) })
	return late
}

// allow gives a verb longer to wind up: a server has answers to finish.
func (a *App) allow(d time.Duration) { a.more.Store(int64(d)) }

// finish has a verb wind up however long that takes: it has something in hand, which the work that is
// left writes, and what that work is does not depend on how busy the machine is. A second Ctrl-C ends
// the program at once.
func (a *App) finish() { a.whole.Store(true) }

// sayWindingUp tells a person who waits for the end.
func (a *App) sayWindingUp() {
	if m := a.shown.Load(); m != nil {
		m.Clear()
	}
	fmt.Fprintln(a.Err, "ending with what there is; Ctrl-C again ends at once, and nothing is written")
}

// keep says what is told when the verb is stopped before it can speak for
// itself.
func (a *App) keep(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.keepBy(func() string { return text })
}

// keepBy is keep where what there is to say is only known at the end.
func (a *App) keepBy(note func() string) { a.kept.Store(&note) }

// stoppedNote is what is kept, and how to go on.
func (a *App) stoppedNote() string {
	if note := a.kept.Load(); note != nil {
		return (*note)()
	}
	return "stopped; nothing was written"
}

// sayStopped tells it once.
func (a *App) sayStopped(w io.Writer) {
	if note := a.stoppedNote(); note != "" {
		fmt.Fprintln(w, note)
	}
}

// show makes a meter, which is wiped off the screen where the program ends in
// the middle of the work.
func (a *App) show(style progress.Style, verb string) *progress.Meter {
	m := progress.New(a.Err, style, verb)
	a.shown.Store(m)
	return m
}

// abandon ends the program in the middle of work that does not heed Ctrl-C in
// time.
func (a *App) abandon() int {
	if m := a.shown.Load(); m != nil {
		m.Close()
	}
	a.sayStopped(a.Err)
	return exitInterrupted
}
