package tune

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/par"
)

// Search chooses among candidates by cross-validation. The zero value of every
// field but Problem and Candidates is a sound choice.
type Search[T any] struct {
	Problem    Problem[T]
	Candidates []Candidate[T]

	Protocol Protocol
	Folds    []data.Fold // folds of one's own, instead of Protocol's
	Metric   Metric      // zero: the first of Metrics for the task
	Strategy Strategy    // nil: Grid{}

	OneSE bool // choose the simplest cell within one standard error of the best
	Race  bool // give up cells that a t-test calls worse than the best of their group before their last fold

	Tol     float64       // of support vector machines; 0 means 1e-3
	Seed    uint64        // of the strategy; folds have their own, in Protocol
	Threads par.Threads   // 0 means GOMAXPROCS; the result is the same to the bit
	Bytes   int64         // memory for Gram matrices; 0 means half of the machine's
	Budget  time.Duration // stop in time for the last fit to end within this; 0 means no limit
	Journal string        // file that makes the search resumable; empty: none
	NoModel bool          // do not fit the chosen cell on all rows at the end

	Trace func(Event) // told after each group of cells, from one goroutine at a time
}

// Strategy decides which cells to judge: Grid, Random, Bayes or Halving.
type Strategy interface {
	check() error
	run(ctx context.Context, s searcher) error
}

// searcher is what a strategy sees of a search.
type searcher interface {
	// axes of each candidate.
	candidates() [][]axisRange
	// judge evaluates trials; those judged before cost nothing.
	judge(ctx context.Context, trials []trial) error
	// score is the mean of a judged trial; ok is false when it has none.
	score(t trial) (mean float64, ok bool)
	maximize() bool
	seed() uint64
	plan(cells int)
	timeUp() bool
	rows() int
	// onRows is the same search on some of the rows.
	onRows(count int) (searcher, error)
}

// Run searches, and fits the chosen cell on all points. When ctx is cancelled or the
// budget used up, the best so far is fitted and returned with Interrupted set;
// an error comes back only when there is nothing to return.
func (s Search[T]) Run(ctx context.Context) (*Result[T], error) {
	e, err := s.engine()
	if err != nil {
		return nil, err
	}
	journal, known, err := openJournal(s.Journal, e.fingerprintFor(s.Journal), e.metric.Name)
	if err != nil {
		return nil, err
	}
	defer journal.close()
	e.journal = journal
	e.adopt(known)
	return s.finish(ctx, e, len(known))
}

// engine checks everything before work starts.
func (s Search[T]) engine() (*engine[T], error) {
	if err := s.Problem.Check(); err != nil {
		return nil, err
	}
	if len(s.Candidates) == 0 {
		return nil, fmt.Errorf("tune: no candidates to choose from")
	}
	e := &engine[T]{p: s.Problem, metric: s.Metric, tol: s.Tol, threads: s.Threads, bytes: s.Bytes, race: s.Race,
		trace: s.Trace, start: time.Now(), cells: map[string]*Cell{}}
	for _, c := range s.Candidates {
		sp, err := c.check(s.Problem.Task, s.Problem.Points)
		if err != nil {
			return nil, err
		}
		e.spaces = append(e.spaces, sp)
	}
	if e.metric.Score == nil {
		e.metric = Metrics(s.Problem.Task)[0]
	}
	if s.Strategy != nil {
		if err := s.Strategy.check(); err != nil {
			return nil, err
		}
	}
	var err error
	if e.folds = s.Folds; e.folds == nil {
		e.folds, err = Split(s.Protocol, s.Problem)
	} else {
		err = CheckFolds(e.folds, s.Problem)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case e.tol == 0:
		e.tol = 1e-3
	case !(e.tol > 0):
		return nil, fmt.Errorf("tune: Tol is %g; give a positive number, such as 1e-3", e.tol)
	}
	switch {
	case e.bytes == 0:
		e.bytes = halfOfMemory()
	case e.bytes < 0:
		return nil, fmt.Errorf("tune: Bytes is %d; give a positive budget, or 0", e.bytes)
	}
	if s.Budget < 0 {
		return nil, fmt.Errorf("tune: Budget is %v; give a positive time, or 0 for no limit", s.Budget)
	}
	// Metrics may take half of the budget, the Gram matrices the other.
	e.metrics = newMetricStore(s.Problem.Points, e.bytes/2)
	e.bytes -= e.bytes / 2
	return e, nil
}

func (e *engine[T]) fingerprintFor(journal string) string {
	if journal == "" {
		return ""
	}
	return e.fingerprint()
}

// adopt takes over cells that a journal holds.
func (e *engine[T]) adopt(known []*Cell) {
	for _, c := range known {
		if c.Candidate < len(e.spaces) && len(c.theta) == len(e.spaces[c.Candidate].axes) {
			id := key(c.Candidate, c.theta)
			if e.cells[id] == nil {
				e.cells[id] = c
				e.order = append(e.order, c)
				if c.complete() && (e.best == nil || e.metric.better(c.Mean, e.best.Mean)) {
					e.best = c
				}
			}
		}
	}
}

// reserve is the share of a time budget kept for the last fit.
const reserve = 0.15

func (s Search[T]) finish(ctx context.Context, e *engine[T], resumed int) (*Result[T], error) {
	strategy := s.Strategy
	if strategy == nil {
		strategy = Grid{}
	}
	search := ctx
	if s.Budget > 0 && !s.NoModel {
		e.deadline = e.start.Add(time.Duration((1 - reserve) * float64(s.Budget)))
	} else if s.Budget > 0 {
		e.deadline = e.start.Add(s.Budget)
	}
	if !e.deadline.IsZero() {
		var cancel context.CancelFunc
		search, cancel = context.WithDeadline(ctx, e.deadline)
		defer cancel()
	}
	err := strategy.run(search, &run[T]{engine: e, search: s})
	r := &Result[T]{Metric: e.metric, Folds: e.folds, Resumed: resumed, Warnings: e.warnings}
	for _, c := range e.order {
		r.Cells = append(r.Cells, *c)
		r.Fits += c.Fits
	}
	if err != nil || e.outOfTime {
		if err != nil && search.Err() == nil {
			return nil, err
		}
		r.Interrupted = true
	}
	if e.best == nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("tune: stopped before any cell was judged: %w", ctx.Err())
		}
		return nil, e.noScore()
	}
	r.Best = *e.best
	r.Chosen = r.Best
	if s.OneSE {
		r.Chosen = e.simplest(r.Cells, r.Best)
	}
	if !s.NoModel {
		if r.Model, err = e.refit(ctx, r.Chosen, s.Budget); err != nil {
			return nil, fmt.Errorf("tune: the last fit, %v: %w", r.Chosen, err)
		}
	}
	r.Elapsed = time.Since(e.start)
	return r, nil
}

func (e *engine[T]) noScore() error {
	for _, c := range e.order {
		if c.Failed != "" {
			return fmt.Errorf("tune: no cell has a score; %v: %s", c, c.Failed)
		}
	}
	if e.outOfTime {
		return fmt.Errorf("tune: the time budget ended before any cell was judged; give more time or fewer rows")
	}
	return fmt.Errorf("tune: no cell has a score by %q: the learner does not give what the metric needs, or the metric is not defined on any fold", e.metric.Name)
}

// refit fits a cell on all rows. A cancelled search still gets its model.
func (e *engine[T]) refit(ctx context.Context, c Cell, budget time.Duration) (*Fitted[T], error) {
	ctx = context.WithoutCancel(ctx)
	s := e.spaces[c.Candidate]
	k, err := s.kernelAt(c.theta)
	if err != nil {
		return nil, err
	}
	return fitOne(ctx, s, k, s.learnerAt(c.theta), e.p, fitOptions{tol: e.tol, bytes: e.bytes, threads: e.threads, prob: e.metric.NeedsProb})
}
