package cli

import (
	"context"
	"fmt"
	"io"
	"time"
)

// patience is how long a verb may take to wind up after Ctrl-C. Work that is
// deep in a factorisation by then is abandoned: the program ends all the same,
// within a second.
const patience = 800 * time.Millisecond

// after is a context that ends some time after another was cancelled.
func after(ctx context.Context, wait time.Duration) context.Context {
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(wait, end) })
	return late
}

// keep says what is told when the verb is stopped before it can speak for
// itself.
func (a *App) keep(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.kept.Store(&text)
}

// stoppedNote is what is kept, and how to go on.
func (a *App) stoppedNote() string {
	if text := a.kept.Load(); text != nil {
		return *text
	}
	return "stopped; nothing was written"
}

// sayStopped tells it once.
func (a *App) sayStopped(w io.Writer) {
	if note := a.stoppedNote(); note != "" {
		fmt.Fprintln(w, note)
	}
}
