package tune

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Search chooses among candidates by cross-validation. The zero value of every
// field but Problem and Candidates is a sound choice.
type Search struct {
	Problem    learn.Problem[any]
	Candidates []Candidate

	Protocol Protocol
	Folds    []data.Fold // folds of one's own, instead of Protocol's
	Metric   Metric      // zero: the first of Metrics for the task
	Strategy Strategy    // nil: Grid{}

	OneSE bool // choose the simplest cell within one standard error of the best
	// Second decides among cells that Metric cannot tell apart: those behind the best by no more
	// than a standard error of the difference over the folds. Zero: the best mean is chosen.
	Second Metric
	Race   bool // give up cells that a t-test calls worse than the best of their group before their last fold

	Tol     float64       // of support vector machines; 0 means 1e-3
	Seed    uint64        // of the strategy; folds have their own, in Protocol
	Threads int           // 0 means GOMAXPROCS; the result is the same to the bit
	Device  *gram.Device  // for fits that are worth it (learn.Resources); nil means processors alone
	Bytes   int64         // memory for Gram matrices; 0 means a quarter of the machine's
	Budget  time.Duration // stop in time for the last fit to end within this; 0 means no limit
	Journal string        // file that makes the search resumable; empty: none
	NoModel bool          // do not fit the chosen cell on all rows at the end

	// Probabilities asks, for classification, for a model that gives them: a
	// learner that has none of its own gets sigmoids of its decision values on folds.
	Probabilities bool

	Trace func(Event) // told after each group of cells, from one goroutine at a time

	// text is a name for a kernel that others made of the same parts share (partStore); nil: every
	// Gram matrix is made for itself.
	text     func(kernel.Kernel[any]) (string, bool)
	lambdas  []float64 // penalties that were given, for stand-ins too; nil: none
	identity string    // of the search in its journal, whatever time it has; empty: a hash of all that scores depend on
	plan     *searchPlan
	// settings are tried on few rows first, for a search that is stopped to have judged the best of
	// them
	scouts  bool
	whole   time.Time // when the time of everything ends that a search is a part of: a first answer may take it
	standIn bool      // the learners are the program's own choice: few centres may take their place where time is short
	clock   clock     // that Budget is counted by; nil: the machine's
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
	// scouted is trials in an order in which those that are likely to be good come first.
	scouted(ctx context.Context, trials []trial) []trial
	rows() int
	// onRows is the same search on some of the rows, within a share of the
	// time that is left.
	onRows(count int, share float64) (searcher, error)
}

// Run searches, and fits the chosen cell on all points. When ctx is cancelled or the
// budget used up, the best so far is fitted and returned with Interrupted set;
// an error comes back only when there is nothing to return.
func (s Search) Run(ctx context.Context) (*Result, error) {
	e, err := s.engine()
	if err != nil {
		return nil, err
	}
	search := s.identity
	if search == "" || s.Journal == "" {
		search = e.fingerprintFor(s.Journal)
	} else {
		e.part = e.judgedBy()
	}
	journal, known, err := openJournal(s.Journal, search, e.metric.Name, s.plan)
	if err != nil {
		return nil, err
	}
	defer journal.close()
	e.journal = journal
	e.adopt(known)
	return s.finish(ctx, e)
}

// engine checks everything before work starts.
func (s Search) engine() (*engine, error) {
	if err := s.leaveOutWeightless(); err != nil {
		return nil, err
	}
	s.Problem = s.Problem.NamePositive()
	if len(s.Candidates) == 0 {
		return nil, fault.Errorf("tune", "no candidates to choose from")
	}
	e := &engine{p: s.Problem, metric: s.Metric, second: s.Second, tol: s.Tol, threads: s.Threads, device: s.Device,
		bytes: s.Bytes, race: s.Race,
		trace: s.Trace, cells: map[string]*Cell{}, placed: map[string]bool{},
		standIn: s.standIn, lambdas: s.lambdas, calibrate: s.Probabilities && s.Problem.Task.Classification()}
	e.few = sync.OnceValue(e.makeFallbacks)
	if e.metric.Score == nil {
		e.metric = Metrics(s.Problem.Task)[0]
	}
	e.metric = e.metric.forClasses(s.Problem.ClassCount())
	e.pace = newPace(clockOr(s.clock), s.Budget, !s.NoModel, e.calibrate || e.metric.NeedsProb)
	for _, c := range s.Candidates {
		sp, err := c.check(s.Problem.Task, s.Problem.Points)
		if err != nil {
			return nil, err
		}
		if err := refusesNoise(sp.entry, s.Problem); err != nil {
			return nil, err
		}
		if err := refusesOutputs(sp.entry, s.Problem); err != nil {
			return nil, err
		}
		e.spaces = append(e.spaces, sp)
	}
	if s.Strategy != nil {
		if err := s.Strategy.check(); err != nil {
			return nil, err
		}
	}
	var err error
	if e.folds = s.Folds; s.Protocol.Evidence {
		err = e.byEvidence(s)
	} else if e.folds == nil {
		e.folds, err = split(s.Protocol, s.Problem)
	} else {
		err = checkFolds(e.folds, s.Problem)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case e.tol == 0:
		e.tol = 1e-3
	case !(e.tol > 0):
		return nil, fault.Errorf("tune", "Tol is %g; give a positive number, such as 1e-3", e.tol)
	}
	switch {
	case e.bytes == 0:
		e.bytes = gram.DefaultBytes()
	case e.bytes < 0:
		return nil, fault.Errorf("tune", "Bytes is %d; give a positive budget, or 0", e.bytes)
	}
	if s.Budget < 0 {
		return nil, fault.Errorf("tune", "Budget is %v; give a positive time, or 0 for no limit", s.Budget)
	}
	// Metrics may take half of the budget, the Gram matrices the other.
	e.metrics = newMetricStore(s.Problem.Points, e.bytes/2)
	e.metrics.parts.text, e.text = s.text, s.text
	e.bytes -= e.bytes / 2
	return e, nil
}

// leaveOutWeightless takes the points of weight 0 out of the problem, and out of folds of one's
// own.
func (s *Search) leaveOutWeightless() error {
	if err := s.Problem.Check(); err != nil || s.Problem.Weights == nil {
		return err
	}
	p, rows := s.Problem.Weighty()
	if len(rows) == s.Problem.Len() {
		s.Problem = p
		return nil
	}
	place := map[int]int{}
	for i, r := range rows {
		place[r] = i
	}
	kept := func(rows []int) (out []int) {
		for _, r := range rows {
			if i, ok := place[r]; ok {
				out = append(out, i)
			}
		}
		return out
	}
	folds := s.Folds
	s.Folds = nil
	for _, f := range folds {
		s.Folds = append(s.Folds, data.Fold{Train: kept(f.Train), Test: kept(f.Test)})
	}
	s.Problem = p
	return p.Check()
}

func (e *engine) fingerprintFor(journal string) string {
	if journal == "" {
		return ""
	}
	return e.fingerprint()
}

func (s Search) finish(ctx context.Context, e *engine) (*Result, error) {
	strategy := s.Strategy
	if strategy == nil {
		strategy = Grid{}
	}
	search := ctx
	if s.Budget > 0 {
		var cancel context.CancelFunc
		search, cancel = e.pace.clock.until(ctx, e.pace.end())
		defer cancel()
	}
	begins := search
	if s.whole.After(e.pace.end()) { // of what comes after the search, too: without an answer there is nothing to come
		var cancel context.CancelFunc
		begins, cancel = e.pace.clock.until(ctx, s.whole)
		defer cancel()
	}
	held := s.holdFallback(begins, e)
	err := strategy.run(search, &run{engine: e, search: s})
	if err != nil && search.Err() == nil {
		return nil, err
	}
	if search.Err() != nil && ctx.Err() == nil {
		e.ranOut() // the budget's own deadline, before any group could say so
	}
	r := &Result{Metric: e.metric, Second: e.second, Folds: e.folds, Fits: e.fits, Resumed: e.resumed,
		Interrupted: err != nil || e.outOfTime, Warnings: e.warnings, JournalFaults: e.journal.faults(), Cells: e.table(),
		judged: e.p.Len(), held: held, by: e.part}
	r.refit = e.refitter(r)
	r.Warnings = append(r.Warnings, cellWarnings(r.Cells)...)
	best, ok := e.winner(r.Cells)
	if !ok && r.Interrupted && held == nil && ctx.Err() == nil {
		held = s.holdLate(ctx, e)
	}
	if !ok && r.Interrupted {
		held = s.climbOn(search, e, held, e.pace.end())
	}
	if r.Interrupted && held.leads(e.metric, best, ok) {
		held.standsIn(r, len(s.Candidates), e.p.Len(), e.whyFallback(ctx, ok))
		r.Elapsed = e.pace.since(e.pace.start)
		return r, nil
	}
	if !ok {
		if ctx.Err() != nil {
			return nil, fault.Errorf("tune", "stopped before any cell was judged: %w", ctx.Err())
		}
		return nil, s.notFitted(e.noScore())
	}
	r.Best, r.Chosen = best, s.choose(e, r.Cells, best)
	if !s.NoModel {
		if held, err = s.fitInTime(ctx, e, r, held); err != nil {
			return nil, s.notFitted(err)
		}
		if r.Model == nil && e.leader == nil {
			r.Model = e.partFit(ctx, r.Chosen, held)
		}
		switch all := e.p.Len(); {
		case r.Model == nil && e.leader.standsIn(r, e.metric, held):
		case r.Model == nil:
			held.standsIn(r, len(s.Candidates), all, fmt.Sprintf("there was no time to fit %v on all rows", r.Chosen))
		case r.Model.Rows < all:
			r.Interrupted = true
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("there was no time to fit the chosen cell on all rows: the model is of %s", ofRows(r.Model.Rows, all)))
		}
	}
	r.Elapsed = e.pace.since(e.pace.start)
	return r, nil
}

// whyFallback says why the fallback is the result of a search that was stopped.
func (e *engine) whyFallback(ctx context.Context, found bool) string {
	switch {
	case ctx.Err() != nil:
		return "stopped before there was anything better"
	case found:
		return "the time was up, and no cell judged by then was better"
	}
	return "the time was up before a cell was judged"
}

func (e *engine) noScore() error {
	for _, c := range e.order {
		if c.Failed != "" {
			return fault.Errorf("tune", "no cell has a score; %v: %s", c, c.Failed)
		}
	}
	if e.outOfTime {
		return fault.In("tune", tooShort(e.pace.budget, 2*e.pace.since(e.pace.start), "it ended before any cell was judged"))
	}
	return fault.Errorf("tune",
		"no cell has a score by %q: the learner does not give what the metric needs, or the metric is not defined on any fold",
		e.metric.Name)
}

// NewSearch is a search for the best of the candidates by five-fold cross-validation, to be changed
// field by field where something else is wanted, and Run.
func NewSearch[T any](p learn.Problem[T], candidates ...Candidate) Search {
	return Search{Problem: p.Erase(), Candidates: candidates}
}

// cellWarnings is what is to be doubted about cells: of many with the same words, whatever number
// stands at their end, the first and how many there are.
func cellWarnings(cells []Cell) []string {
	const most = 3
	alike, words := map[string][]string{}, []string{}
	for _, c := range cells {
		if c.Warning == "" {
			continue
		}
		w := strings.TrimRight(c.Warning, "0123456789.e+-")
		if alike[w] == nil {
			words = append(words, w)
		}
		alike[w] = append(alike[w], c.String()+": "+c.Warning)
	}
	var out []string
	for _, w := range words {
		all := alike[w]
		if n := len(all); n > most {
			all = append(all[:1], fmt.Sprintf("%d further settings of %d have such a warning", n-1, len(cells)))
		}
		out = append(out, all...)
	}
	return out
}
