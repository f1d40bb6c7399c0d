package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/par"
)

// engine evaluates cells and keeps what they share.
type engine[T any] struct {
	p        Problem[T]
	spaces   []*space[T]
	folds    []data.Fold
	metric   Metric
	tol      float64
	threads  par.Threads
	bytes    int64
	race     bool
	metrics  *metricStore[T]
	journal  *journal
	trace    func(Event)
	start    time.Time
	deadline time.Time // no new group is begun after it; zero: none

	mu        sync.Mutex
	cells     map[string]*Cell
	order     []*Cell
	planned   int // cells the strategy means to evaluate
	best      *Cell
	outOfTime bool
	fits      int
	warnings  []string
}

// trial is a point of the search space: a candidate at values of its axes.
type trial struct {
	candidate int
	theta     []float64
}

// Event is one report of a search.
type Event struct {
	Done, Planned int  // cells
	Last, Best    Cell // the cell just judged, the best so far
	Fits          int
	Elapsed, Left time.Duration // Left is an estimate, 0 when unknown
}

// groupWork is the cells of one setting of a kernel, evaluated together.
type groupWork struct {
	cells     []*Cell
	path      []map[string]float64 // the learner's parameters of each cell
	threads   par.Threads
	inOrder   bool // folds one after another, for racing
	intercept bool
	judge     func(cell, fold int, p Predictions)
	alive     func(cell, fold int) bool
}

// evaluate judges trials that were not judged before.
func (e *engine[T]) evaluate(ctx context.Context, trials []trial) error {
	groups, order := map[string][]trial{}, []string{}
	queued := map[string]bool{}
	for _, t := range trials {
		id := key(t.candidate, t.theta)
		if e.cells[id] != nil || queued[id] {
			continue
		}
		queued[id] = true
		g := key(t.candidate, t.theta[:e.spaces[t.candidate].kernelAxes])
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], t)
	}
	if len(order) == 0 {
		return nil
	}
	outer := min(e.threads.N(), len(order), e.sideBySide(trials))
	// Groups of ridge take equally long: side by side each is best off with a
	// thread of its own, but for the last ones where they do not come out even.
	even := 0
	if outer == e.threads.N() {
		even = len(order) / outer * outer
	}
	errs := make([]error, len(order))
	fresh := make([][]*Cell, len(order))
	par.For(par.Threads(outer), len(order), 1, func(i, _ int) {
		if ctx.Err() != nil || e.late() {
			return
		}
		threads := e.threads
		if i < even && e.spaces[groups[order[i]][0].candidate].Learner == Ridge {
			threads = 1
		}
		fresh[i], errs[i] = e.group(ctx, groups[order[i]], threads)
	})
	// In the order asked for, whatever the threads did.
	for i := range fresh {
		e.order = append(e.order, fresh[i]...)
	}
	for _, err := range errs {
		if err != nil && !e.late() {
			return err
		}
	}
	return ctx.Err()
}

func (e *engine[T]) late() bool {
	if e.deadline.IsZero() || time.Now().Before(e.deadline) {
		return false
	}
	e.mu.Lock()
	e.outOfTime = true
	e.mu.Unlock()
	return true
}

// groupBytes is what one group needs: a Gram matrix in single precision for
// support vector machines; for ridge a Gram matrix, its eigenvectors and two
// matrices of work in double precision.
func (e *engine[T]) groupBytes(l Learner) int64 {
	n := int64(e.p.Len())
	switch l {
	case SVM:
		return 4 * n * n
	case Ridge:
		return 4 * 8 * n * n
	}
	return 2 * 8 * n * n
}

// sideBySide is how many groups the budget holds at a time.
func (e *engine[T]) sideBySide(trials []trial) int {
	most := int64(1)
	for _, t := range trials {
		most = max(most, e.groupBytes(e.spaces[t.candidate].Learner))
	}
	return int(max(1, min(e.bytes/most, int64(runtime.NumCPU()))))
}

// group judges the cells of one setting of a kernel.
func (e *engine[T]) group(ctx context.Context, trials []trial, threads par.Threads) ([]*Cell, error) {
	start := time.Now()
	s := e.spaces[trials[0].candidate]
	k, err := s.kernelAt(trials[0].theta)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	w := &groupWork{threads: threads, intercept: !s.NoIntercept, inOrder: e.race}
	for _, t := range trials {
		c := &Cell{Candidate: t.candidate, Label: s.name(), Learner: s.Learner, Kernel: kernelName(s.Kernel), theta: t.theta}
		for a, axis := range s.axes {
			c.Params = append(c.Params, Setting{axis.Name, t.theta[a]})
		}
		c.Scores = make([]float64, len(e.folds))
		for f := range c.Scores {
			c.Scores[f] = math.NaN()
		}
		w.cells = append(w.cells, c)
		w.path = append(w.path, s.learnerAt(t.theta))
	}
	raw := newCalibration(e.metric.NeedsProb, len(trials), len(e.folds))
	var counting sync.Mutex // folds are judged side by side
	w.judge = func(i, f int, p Predictions) {
		e.complete(&p)
		counting.Lock()
		w.cells[i].Fits++
		counting.Unlock()
		if raw != nil && p.Prob == nil && p.Score != nil {
			raw.keep(i, f, p)
			return
		}
		w.cells[i].Scores[f] = e.metric.Score(p)
	}
	w.alive = func(i, f int) bool { return !w.cells[i].GivenUp && !(e.race && w.hopeless(i, f, e.metric)) }
	if err := e.dispatch(ctx, s, k, w); err != nil {
		if ctx.Err() != nil || !recoverable(err) {
			// Cells that were judged on all folds before the end are kept.
			w.cells = slices.DeleteFunc(w.cells, func(c *Cell) bool { return c.Fits < len(e.folds) })
			if len(w.cells) == 0 || raw != nil {
				return nil, err
			}
			w.finish(start)
			return w.cells, errors.Join(err, e.record(w.cells))
		}
		for _, c := range w.cells {
			c.Failed = err.Error()
		}
	}
	raw.score(w.cells, e.metric)
	w.finish(start)
	return w.cells, e.record(w.cells)
}

// finish sums up the cells of a group.
func (w *groupWork) finish(start time.Time) {
	elapsed := time.Since(start).Seconds() / float64(len(w.cells))
	for _, c := range w.cells {
		c.Seconds = elapsed
		c.summarise()
	}
}

// dispatch sends a group to the evaluator of its learner: one that shares the
// Gram matrix where the budget holds it, else fits from scratch within the
// learner's own budget.
func (e *engine[T]) dispatch(ctx context.Context, s *space[T], k kernelOf[T], w *groupWork) error {
	fits := e.groupBytes(s.Learner) <= e.bytes
	switch {
	case s.Learner == SVM && fits:
		return evaluateSVM(ctx, e, k, w)
	case s.Learner == Ridge && fits && e.partition():
		return evaluateRidge(ctx, e, k, w)
	case s.Learner == Logistic && fits:
		return evaluateLogistic(ctx, e, k, w)
	}
	return evaluateCold(ctx, e, s, k, w)
}

// partition says whether every fold fits on all the rows it is not judged by.
func (e *engine[T]) partition() bool {
	for _, f := range e.folds {
		if len(f.Train)+len(f.Test) != e.p.Len() {
			return false
		}
	}
	return true
}

// complete fills in what the search knows about the rows of predictions.
func (e *engine[T]) complete(p *Predictions) {
	p.Truth = gather(e.p.Y, p.Rows)
	p.Weights = gather(e.p.Weights, p.Rows)
	p.Groups = gather(e.p.Groups, p.Rows)
	p.Classes = e.p.classes()
}

// record adds judged cells to the journal and to what is known.
func (e *engine[T]) record(cells []*Cell) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.journal.append(cells); err != nil {
		return err
	}
	for _, c := range cells {
		e.cells[key(c.Candidate, c.theta)] = c
		e.fits += c.Fits
		if c.complete() && (e.best == nil || e.metric.better(c.Mean, e.best.Mean)) {
			e.best = c
		}
	}
	if e.trace == nil {
		return nil
	}
	ev := Event{Done: len(e.cells), Planned: max(e.planned, len(e.cells)), Last: *cells[len(cells)-1], Fits: e.fits, Elapsed: time.Since(e.start)}
	if e.best != nil {
		ev.Best = *e.best
	}
	if ev.Done > 0 && ev.Planned > ev.Done {
		ev.Left = time.Duration(float64(ev.Elapsed) / float64(ev.Done) * float64(ev.Planned-ev.Done))
	}
	e.trace(ev)
	return nil
}

// recoverable says whether an error is one cell's own (a singular system at a
// tiny λ, say), so that the search goes on without it.
func recoverable(err error) bool {
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
