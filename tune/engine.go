package tune

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// engine evaluates cells and keeps what they share.
type engine struct {
	p         learn.Problem[any]
	spaces    []*space
	folds     []data.Fold
	metric    Metric
	second    Metric // zero: none
	tol       float64
	threads   int
	device    *gram.Device
	bytes     int64
	race      bool
	metrics   *metricStore
	elsewhere *metricStore // of the points moved to their mean, where a learner asked for them
	journal   *journal
	lines     []journalLine // of the journal, when it was opened
	trace     func(Event)
	pace      *pace
	parent    *engine                                 // of a round of successive halving: the whole search
	part      string                                  // of a round: a hash of its rows, folds and candidates
	kept      *keptModel                              // of a search by evidence: its best model
	leader    *leader                                 // nil: none was fitted early
	lambdas   []float64                               // that were given
	few       func() []Candidate                      // fallbacks, made once: values of a kernel may be dear
	standIn   bool                                    // few centres may take the place of the candidates
	text      func(kernel.Kernel[any]) (string, bool) // of a kernel on rows; nil: that of its points says all
	calibrate bool                                    // the last fit is to have probabilities where its learner can

	mu        sync.Mutex
	cells     map[string]*Cell
	order     []*Cell         // in the order asked for
	placed    map[string]bool // keys of order
	planned   int             // cells the strategy means to evaluate
	best      *Cell           // so far; among equals whichever was first
	outOfTime bool
	early     int // cells of rounds before the last
	fits      int
	resumed   int
	warnings  []string
}

// root is the whole search: the engine itself, or the parent of a round.
func (e *engine) root() *engine {
	if e.parent != nil {
		return e.parent
	}
	return e
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
	cells    []*Cell
	counting sync.Mutex // folds are judged side by side
}

// evaluate judges trials that were not judged before.
func (e *engine) evaluate(ctx context.Context, trials []trial) error {
	groups, order := map[string][]trial{}, []string{}
	queued := map[string]bool{}
	for _, t := range trials {
		id := key(t.candidate, t.theta)
		if e.placed[id] || queued[id] {
			continue
		}
		queued[id] = true
		g := key(t.candidate, t.theta[:e.spaces[t.candidate].kernelAxes])
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], t)
	}
	var pending [][]trial // without what a journal knew
	for _, g := range order {
		unknown := slices.DeleteFunc(slices.Clone(groups[g]),
			func(t trial) bool { return e.cells[key(t.candidate, t.theta)] != nil })
		if len(unknown) > 0 {
			pending = append(pending, unknown)
		}
	}
	errs := make([]error, len(pending))
	first := 0
	if len(pending) > 0 && e.pace.budget > 0 && e.best == nil {
		// Of two groups side by side neither may end in time; and what the others
		// may take is told by the first.
		first = 1
		begun := e.pace.clock.now()
		if errs[0] = e.group(ctx, pending[0], e.threads); errs[0] == nil {
			e.holdLeader(ctx, e.pace.since(begun), len(pending)-1)
		}
	}
	if pending, errs := pending[first:], errs[first:]; len(pending) > 0 {
		outer := min(par.Workers(e.threads), len(pending), e.sideBySide(trials))
		// Groups that take equally long: side by side each is best off with a
		// thread of its own, but for the last ones where they do not come out even.
		even := 0
		if outer == par.Workers(e.threads) {
			even = len(pending) / outer * outer
		}
		par.For(int(outer), len(pending), 1, func(i, _ int) {
			if ctx.Err() != nil || e.late() {
				return
			}
			threads := e.threads
			if i < even && e.spaces[pending[i][0].candidate].entry.Even {
				threads = 1
			}
			errs[i] = e.group(ctx, pending[i], threads)
		})
	}
	// In the order asked for, whatever the threads did and a journal knew.
	for _, g := range order {
		for _, t := range groups[g] {
			if id := key(t.candidate, t.theta); e.cells[id] != nil && !e.placed[id] {
				e.placed[id] = true
				e.order = append(e.order, e.cells[id])
				e.takeUp(e.cells[id])
			}
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (e *engine) late() bool {
	if !e.pace.late() {
		return false
	}
	e.ranOut()
	return true
}

func (e *engine) ranOut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outOfTime = true
}

// sideBySide is how many groups the budget holds at a time.
func (e *engine) sideBySide(trials []trial) int {
	most := int64(1)
	for _, t := range trials {
		most = max(most, e.spaces[t.candidate].entry.SharedBytes(e.p.Task, e.p.Len()))
	}
	return int(max(1, min(e.bytes/most, int64(runtime.NumCPU()))))
}

// newCell is a trial without scores.
func (e *engine) newCell(t trial) *Cell {
	s := e.spaces[t.candidate]
	c := &Cell{Candidate: t.candidate, of: s.id, Label: s.name(), Learner: s.Learner, way: s.way, theta: t.theta,
		Second: math.NaN()}
	c.Kernel, c.told = e.printed(s, t.theta)
	c.Begins = s.finds()
	for a, axis := range s.axes {
		set := Setting{Name: axis.Name, Value: t.theta[a]}
		if p := s.place[a]; a >= s.kernelAxes && s.learner[p].Choices != nil {
			set.Word = s.learner[p].Text(t.theta[a])
		}
		c.Params = append(c.Params, set)
	}
	c.Scores = make([]float64, len(e.folds))
	for f := range c.Scores {
		c.Scores[f] = math.NaN()
	}
	return c
}

// group judges the cells of one setting of a kernel, where there is time for it.
func (e *engine) group(ctx context.Context, trials []trial, threads int) error {
	start := e.pace.clock.now()
	s := e.spaces[trials[0].candidate]
	until, ok := e.pace.group(trials[0].candidate, e.lastFitOf(s))
	if !ok {
		e.ranOut()
		return nil
	}
	within := ctx
	if !until.IsZero() {
		var cancel context.CancelFunc
		within, cancel = e.pace.clock.until(ctx, until)
		defer cancel()
	}
	k, err := s.kernelAt(trials[0].theta)
	if err != nil {
		return fault.In("tune", err)
	}
	w := &groupWork{}
	c := e.cellsOf(s, k, threads)
	for _, t := range trials {
		w.cells = append(w.cells, e.newCell(t))
		c.Params = append(c.Params, s.learnerAt(t.theta))
	}
	raw := newCalibration(e.metric.NeedsProb, len(trials), len(e.folds))
	second := newSecondOpinion(e.second, len(trials), len(e.folds))
	c.Doubt, c.Refuse = w.doubt, w.refuse
	c.Judge = func(i, f int, p learn.Predictions) {
		e.complete(&p)
		w.counting.Lock()
		w.cells[i].Fits++
		w.counting.Unlock()
		second.keep(i, f, p)
		if raw != nil && p.Prob == nil && p.Score != nil {
			raw.keep(i, f, p)
			return
		}
		w.cells[i].Scores[f] = e.metric.Score(p)
	}
	c.Alive = func(i, f int) bool {
		return !w.cells[i].GivenUp && w.cells[i].Failed == "" && !(e.race && w.hopeless(i, f, e.metric))
	}
	err, ended := e.pace.heeded(within, func() error { return e.dispatch(within, s, c, w) })
	switch {
	case err == nil:
	case within.Err() != nil || !recoverable(err):
		if ctx.Err() == nil {
			// The group's time is up, not the caller's patience.
			e.ranOut()
			err = nil
		}
		if !ended || raw != nil {
			return err
		}
		// Cells that were judged on all folds before the end are kept.
		second.score(w.cells)
		w.cells = slices.DeleteFunc(w.cells, func(c *Cell) bool { return c.Fits < len(e.folds) })
		if len(w.cells) == 0 {
			return err
		}
		w.finish(e.pace.since(start))
		e.record(w.cells, e.pace.since(start), s.independent() && !e.race)
		return err
	default:
		for _, c := range w.cells {
			c.Failed = err.Error()
		}
	}
	raw.score(w.cells, e.metric)
	second.score(w.cells)
	w.finish(e.pace.since(start))
	e.pace.took(trials[0].candidate, e.pace.since(start))
	e.record(w.cells, e.pace.since(start), true)
	return nil
}

// independent says whether the cells of a group have the same bits whichever
// others are fitted beside them; a path of support vector or vector machines has not.
func (s *space) independent() bool { return !s.entry.Path }

// doubt notes that a fit of a cell stopped with its certificate left above the
// tolerance; 0 means that it did not.
func (w *groupWork) doubt(cell int, left float64) {
	w.counting.Lock()
	defer w.counting.Unlock()
	w.cells[cell].left = max(w.cells[cell].left, left)
}

// refuse notes that the last fit of a cell would fail.
func (w *groupWork) refuse(cell int, err error) { w.cells[cell].Failed = err.Error() }

// finish sums up the cells of a group.
func (w *groupWork) finish(took time.Duration) {
	elapsed := took.Seconds() / float64(len(w.cells))
	for _, c := range w.cells {
		c.Seconds = elapsed
		if c.left > 0 {
			c.Warning = fmt.Sprintf("a fit stopped before it reached its tolerance, at %.3g", c.left)
		}
		c.summarise()
	}
}

// dispatch has a group judged: by its learner, which shares what can be shared where
// the budget holds it, else by fits from scratch within the learner's own budget.
func (e *engine) dispatch(ctx context.Context, s *space, c *learn.Cells, w *groupWork) error {
	switch {
	case e.kept != nil:
		return evaluateEvidence(ctx, e, s, c, w)
	case kernel.Learns(c.Kernel): // the folds have no Gram matrix in common
		return evaluateCold(ctx, e, s, c)
	case s.entry.CanShare(c):
		return s.entry.Cells(ctx, c)
	}
	return evaluateCold(ctx, e, s, c)
}

// cellsOf is what the cells of one kernel are judged with.
func (e *engine) cellsOf(s *space, k kernel.Kernel[any], threads int) *learn.Cells {
	metrics := e.metricsFor(s, k)
	return &learn.Cells{
		Problem: e.p, Kernel: k, Hold: s.hold, NoIntercept: s.NoIntercept, Folds: e.folds, Proba: e.metric.NeedsProb,
		Tol:     e.tol,
		Threads: threads, Bytes: e.bytes, Device: e.device, InOrder: e.race, Scratch: &e.metrics.scratch,
		Gram: func() blas64.General {
			gram := linalg.New[float64](e.p.Len(), e.p.Len())
			metrics.gram64(gram, k, threads)
			return blas64.General(gram)
		},
		BorrowGram: func() (blas32.General, float64, func()) {
			gram := metrics.borrow()
			rest := metrics.gram32(gram, k, threads)
			return blas32.General{Rows: gram.Rows, Cols: gram.Cols, Stride: gram.Stride, Data: gram.Data}, rest,
				func() { metrics.giveBack(gram) }
		},
		Stored: func() (kernel.Kernel[any], learn.Problem[any]) { return e.shared(s, k, threads) },
	}
}

// metricsFor is what the Gram matrices of a candidate are made of. Far from the origin, single
// precision has no digits left for what tells points apart; a learner that does not mind where they
// lie gets them moved to their mean.
func (e *engine) metricsFor(s *space, k kernel.Kernel[any]) *metricStore {
	if s.NoIntercept || !s.entry.AnyOrigin {
		return e.metrics
	}
	moved := fitting.MoveToMean(k, e.p.Points)
	if !moved.Moved() {
		return e.metrics
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.elsewhere == nil {
		// a kernel without length-scales has one Gram matrix: nothing is kept for a second
		e.elsewhere = newMetricStore(moved.Points, 0)
	}
	return e.elsewhere
}
