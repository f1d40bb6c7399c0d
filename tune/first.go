package tune

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// The first answer of a search is a model that takes about a second on anything: few rows, one
// setting or a few, judged on all rows of the folds, so that its score can be compared with those
// of the search. Its size is bounded by the work that it is, not by a guess of the machine's speed:
// on a slow machine it takes longer, and is there all the same. What comes later takes its place
// only where it was judged better.

// Rows of a first answer. A learner that was named may take n³; few centres take n.
const (
	namedRows  = 200
	centerRows = 1000
	leastFirst = 30

	// A learner that was named begins with so many times fewer rows, whose cubes are nothing, and
	// then may take a share of the time for its first rows.
	namedLess  = 4
	namedShare = 0.7

	// climbShare is how much of the time twice the rows of a learner that was named may take before
	// the search, which is likely to do better.
	climbShare = 0.05
)

// firstRows is how many rows a first answer is fitted to.
func (s Search) firstRows(e *engine) int {
	n, most := e.p.Len(), centerRows
	if !s.standIn {
		n, most = n/4, namedRows
	}
	return max(min(n, most), leastFirst, 10*e.p.ClassCount())
}

// firstAnswer judges and fits the first answer. Learners that were named, and objects, whose kernels
// may take any time, begin with few rows, and take twice as many while that takes little of the
// time. Nil where ctx ended before there was one.
func (s Search) firstAnswer(ctx context.Context, e *engine, allowed time.Duration) *fallback {
	l := s.ladder(e)
	if l == nil {
		return nil
	}
	rows := s.firstRows(e)
	if !l.named && !l.objects {
		l.step(ctx, rows, e.pace.clock.now().Add(allowed))
		return l.held
	}
	least := max(min(rows, namedRows)/namedLess, leastFirst, 10*e.p.ClassCount())
	end := e.pace.clock.now().Add(allowed)
	if !l.step(ctx, least, end) {
		return l.held
	}
	if !l.named {
		best := l.held.best
		l.trials, l.most, l.took = []trial{{best.Candidate, best.theta}}, rows,
			time.Duration(best.Seconds*float64(time.Second)*1.2)
		l.climb(ctx, end)
		return l.held
	}
	if l.rows < rows {
		end := l.clock.now().Add(time.Duration(namedShare * float64(s.Budget)))
		within, cancel := l.clock.until(ctx, end)
		defer cancel()
		l.step(within, rows, end)
	}
	l.climb(ctx, l.clock.now().Add(time.Duration(climbShare*float64(s.Budget))))
	return l.held
}

// rowLadder fits some settings to more and more rows; held is the best so far.
type rowLadder struct {
	e      *engine // of the settings, with the folds of the search
	clock  clock
	trials []trial
	named  bool
	linear bool // it is a linear machine that the search begins with
	seed   uint64

	objects bool // points are neither vectors nor sparse rows

	most int // rows of a fold, at the most; 0: all
	rows int // of the last step
	took time.Duration
	held *fallback
}

// beginsLinear says that the first candidate is a linear machine of texts, strings or graphs: it is
// as quick as few centres, and better.
func (e *engine) beginsLinear() bool {
	return len(e.spaces) > 0 && e.spaces[0].Learner == linearTexts && e.spaces[0].Custom == nil
}

// linearMachines is how many candidates a search begins with that are linear machines.
func (e *engine) linearMachines() int {
	n := slices.IndexFunc(e.spaces, func(s *space) bool { return s.Learner != linearTexts || s.Custom != nil })
	if n < 0 {
		return len(e.spaces)
	}
	return n
}

// ofObjects says that points are neither vectors nor sparse rows.
func ofObjects(x data.Points[any]) bool {
	_, vectors := data.VectorsOf(x)
	_, sparse := data.SparseOfPoints(x)
	return !vectors && !sparse
}

// ladder is that of a search: the learners that were named, or the linear machines that it begins
// with, in the middle of their axes, or few centres at three penalties.
func (s Search) ladder(e *engine) *rowLadder {
	l := &rowLadder{clock: e.pace.clock, named: !s.standIn, seed: s.Seed, objects: ofObjects(e.p.Points)}
	s.Folds, s.Journal, s.Trace, s.Race, s.Strategy = e.folds, "", nil, false, nil
	if l.linear = e.beginsLinear(); l.linear && s.standIn {
		s.Candidates = s.Candidates[:e.linearMachines()]
	} else if s.standIn {
		s.Candidates = e.fallbacks()
	}
	var err error
	if l.e, err = s.engine(); err != nil {
		return nil
	}
	l.e.pace = newPace(e.pace.clock, 0, false, false)
	switch {
	case l.linear && !l.named:
		for i, space := range l.e.spaces {
			l.trials = append(l.trials, trial{i, space.middle()})
		}
		return l
	case l.named || l.linear:
		l.trials = l.e.firstOfNamed()
		return l
	}
	for i, space := range l.e.spaces {
		lambdas := len(space.axes) - 1
		for _, place := range []float64{0.5, 0.25, 0.75} {
			theta := space.middle()
			values := space.axes[lambdas].Values
			theta[lambdas] = values[int(place*float64(len(values)-1))]
			l.trials = append(l.trials, trial{i, theta})
		}
	}
	return l
}

// firstOfNamed is the first candidate of every learner, in the middle of its axes. Learners of
// one's own have none.
func (e *engine) firstOfNamed() (out []trial) {
	seen := map[string]bool{}
	for i, s := range e.spaces {
		if s.Custom != nil {
			return nil
		}
		if !seen[s.Learner] {
			seen[s.Learner] = true
			out = append(out, trial{i, s.middle()})
		}
	}
	return out
}

// step judges the settings on so many rows of each fold, the first to the end of ctx, the others
// until end, and fits the best where it is better than what is held.
func (l *rowLadder) step(ctx context.Context, rows int, end time.Time) bool {
	begun := l.clock.now()
	within, cancel := l.clock.until(ctx, end)
	defer cancel()
	var cells []Cell
	for i, t := range l.trials {
		use := ctx
		if len(cells) > 0 || l.held != nil {
			use = within
		}
		if c, ok := l.judge(use, t, rows); ok {
			cells = append(cells, c)
		}
		if use.Err() != nil || i+1 < len(l.trials) && len(cells) > 0 && within.Err() != nil {
			break
		}
	}
	best, ok := l.e.winner(cells)
	if !ok || l.held != nil && !l.e.metric.better(best.Mean, l.held.best.Mean) {
		l.rows, l.took = rows, l.clock.now().Sub(begun)
		return ok
	}
	p := l.e.p
	train := 0
	for _, f := range l.e.folds {
		train = max(train, len(f.Train))
	}
	if all := int(math.Ceil(float64(rows) * float64(p.Len()) / float64(max(train, 1)))); all < p.Len() {
		p = p.Gather(someRows(p, all, l.seed))
	}
	var m *Fitted
	err, ended := l.e.pace.heeded(ctx, func() (err error) {
		m, err = l.e.fitRows(ctx, best, p)
		return err
	})
	if err != nil || !ended {
		return false
	}
	l.rows, l.took = rows, l.clock.now().Sub(begun)
	l.held = &fallback{engine: l.e.light(), cells: cells, folds: l.e.folds, best: best, model: m, train: rows,
		named: l.named}
	return true
}

// judge fits a setting to so many rows of each fold and judges it on all that the fold is for.
func (l *rowLadder) judge(ctx context.Context, t trial, rows int) (Cell, bool) {
	begun := l.clock.now()
	c := l.e.newCell(t)
	for f, fold := range l.e.folds {
		var score float64
		err, ended := l.e.pace.heeded(ctx, func() error {
			train := l.e.p.Gather(fold.Train)
			if len(fold.Train) > rows {
				train = train.Gather(someRows(train, rows, l.seed))
			}
			// the model that is kept may have probabilities that nobody judges by
			m, err := l.e.fitRowsAs(ctx, *c, train, l.e.metric.NeedsProb)
			if err != nil {
				return err
			}
			p, err := m.known(ctx, l.e.p.Gather(fold.Test))
			if err != nil {
				return err
			}
			p.Rows = fold.Test
			l.e.complete(&p)
			score = l.e.metric.Score(p)
			return ctx.Err()
		})
		if err != nil || !ended {
			return *c, false
		}
		c.Scores[f] = score
		c.Fits++
	}
	c.Seconds = l.clock.now().Sub(begun).Seconds()
	c.summarise()
	return *c, c.complete()
}

// growth is how many times longer a step with twice the rows is taken to be: linear machines and few
// centres take as long as there are rows, and what all rows are asked by both.
func (l *rowLadder) growth() float64 {
	if l.named {
		return growth
	}
	return 3
}

// climb takes twice the rows while the last step says that there is time for that before end, up to
// those of the folds.
func (l *rowLadder) climb(ctx context.Context, end time.Time) {
	most := 0
	for _, f := range l.e.folds {
		most = max(most, len(f.Train))
	}
	if l.most > 0 {
		most = min(most, l.most)
	}
	within, cancel := l.clock.until(ctx, end)
	defer cancel()
	for l.rows < most && within.Err() == nil {
		if float64(l.took)*l.growth() > float64(end.Sub(l.clock.now())) {
			return
		}
		if !l.step(within, min(2*l.rows, most), end) {
			return
		}
	}
}

// climbOn goes on with what is held of learners that were named, in the time that a search has left
// over: it is their result, on more rows.
func (s Search) climbOn(ctx context.Context, e *engine, held *fallback, end time.Time) *fallback {
	if held == nil || !held.named {
		return held
	}
	l := s.ladder(e)
	if l == nil {
		return held
	}
	l.held, l.rows = held, held.train
	l.took = time.Duration(held.best.Seconds * float64(time.Second) * 1.2)
	l.climb(ctx, end)
	return l.held
}
