package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// search runs the search under the progress meter. A journal of our own that
// belongs to another search is started afresh.
func (f *fitting) search(ctx context.Context) error {
	f.keepBy(func() string { return stoppedSearch(f.o, f.ownJournal) })
	f.finish() // a first answer is in hand in about a second
	watch := f.watchSearch()
	defer watch.end()
	f.options.Trace = watch.event
	auto := func() (*tune.AutoResult, error) {
		if _, f.options.Spent = f.time.search(time.Now()); f.o.Task.Nested > 0 {
			f.options.Spent /= nestedShare
		}
		if f.table != nil {
			r, d, err := tune.AutoTable(ctx, f.table, f.options)
			if err == nil {
				f.data = d
			}
			return r, err
		}
		r, err := tune.Auto(ctx, f.data, f.options)
		return r, f.inTestFile(err)
	}
	var err error
	if f.found, err = auto(); f.ownJournal && errors.Is(err, tune.ErrOtherSearch) {
		if err := tune.RemoveJournal(f.o.Journal); err != nil {
			return fitError(err)
		}
		f.afresh = true
		f.found, err = auto()
	}
	if err == nil {
		return nil
	}
	var over *learn.OverBudget
	// there is room for the rows, but not for what is made of them
	if f.table == nil && errors.As(err, &over) && f.inPasses(data.ErrTooLarge) {
		watch.end()
		if err := f.openTable(ctx); err != nil {
			return err
		}
		if err := f.plan(ctx); err != nil {
			return err
		}
		return f.search(ctx)
	}
	if f.ownJournal && !errors.Is(err, context.Canceled) {
		f.removeJournal() // the same command would fail again
	}
	return fitError(f.memory.inMemory(f.data, f.time.refuse(err, 0, 0)))
}

// removeJournal removes a journal that has served. One that is not ours, or that another process
// has taken up meanwhile, stays.
func (f *fitting) removeJournal() {
	if f.o.Journal != "" {
		tune.RemoveJournal(f.o.Journal)
	}
}

// searchWatch shows how far a search is. A long fit, the last one above all, tells nothing itself:
// the clock goes on.
type searchWatch struct {
	meter *progress.Meter
	ended chan struct{}
	once  sync.Once
	start time.Time
	mu    sync.Mutex
	last  progress.State
}

func (f *fitting) watchSearch() *searchWatch {
	style := progress.StyleFor(f.Err, f.o.Quiet, f.o.JSON)
	w := &searchWatch{meter: f.show(style, "searching"), ended: make(chan struct{}), start: time.Now()}
	if style != progress.JSON { // programs are told of events only
		go w.tick()
	}
	return w
}

// event is what the search tells.
func (w *searchWatch) event(e tune.Event) {
	best, score := "", (*float64)(nil)
	if e.Best.Label != "" {
		best, score = number(e.Best.Mean), orNull(e.Best.Mean)
	}
	s := progress.State{Done: e.Done, Planned: e.Planned, Best: best, Score: score, Elapsed: e.Elapsed, Left: e.Left}
	w.mu.Lock()
	w.last = s
	w.mu.Unlock()
	w.meter.Update(s)
}

// tick shows the time every second.
func (w *searchWatch) tick() {
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
			w.mu.Lock()
			s := w.last
			w.mu.Unlock()
			s.Left = max(s.Left-(time.Since(w.start)-s.Elapsed), 0)
			s.Elapsed = time.Since(w.start)
			w.meter.Update(s)
		case <-w.ended:
			return
		}
	}
}

func (w *searchWatch) end() {
	w.once.Do(func() {
		close(w.ended)
		w.meter.Clear()
	})
}

// replaceable says whether a model is written to a file of its own, which a journal can lie
// beside; a device or a pipe has no place for one.
func replaceable(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// resumable says whether the journal has judged settings, from which the same
// command goes on. Its first line says which search it is of.
func (o *fitOptions) resumable() bool {
	text, err := os.ReadFile(o.Journal)
	return err == nil && bytes.Count(text, []byte("\n")) > 1
}

// stoppedSearch says what a search leaves that did not live to write its model.
func stoppedSearch(o *fitOptions, ownJournal bool) string {
	if !o.resumable() {
		// It may be locked still, by ourselves.
		if ownJournal && !errors.Is(tune.CheckJournal(o.Journal), tune.ErrNotJournal) {
			os.Remove(o.Journal)
		}
		return "stopped before there was a model; nothing is kept"
	}
	same := "the same command again"
	if o.Data == "-" {
		same = "the same command with the same input"
	}
	return fmt.Sprintf("stopped; the settings judged so far are in %s: %s goes on", o.Journal, same)
}
