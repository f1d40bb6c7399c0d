package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// wholeFit is the end of Auto where the search saw a part of the rows: a contest between few
// centres of all rows and the chosen cell on as many rows as there is time for.
type wholeFit struct {
	search Search // on the part
	p      learn.Problem[any]
	rows   []int // of p that the chosen cell is fitted on: at first those of the part
	clock  clock
	end    time.Time
	test   int // rows held out, to be predicted in the time as well

	only    contest
	solver  nystrom.Solver
	centers int // asked for; 0: as many as there is time for
	foot    int // rows of a first fit where there are many times as many
	columns columnKernels
	lambdas []float64 // penalties that were given, in units of the learner; nil: found
}

// contest says who takes part.
type contest int

const (
	everyone contest = iota
	onlyExact
	onlyCenters
	straight // the chosen cell on all rows at once
)

func (w *wholeFit) left() time.Duration { return w.end.Sub(w.clock.now()) }

// The chosen cell may take this share of the time to show how it gains with rows, before all that
// is left goes to whoever is better.
const growthShare = 0.25

// fit gives res its model.
func (w *wholeFit) fit(ctx context.Context, res *Result) error {
	if ctx.Err() != nil && res.Model != nil {
		return nil // stopped, with what was in hand
	}
	e, err := w.search.engine()
	if err != nil {
		return err
	}
	if w.only == straight {
		return w.straight(ctx, e, res)
	}
	if res.fellBack != "" && res.held.named && w.only == onlyExact {
		return w.goOn(ctx, e, res)
	}
	var v *wide
	if w.only != onlyExact && w.mayBeWide(e) {
		if v, err = w.wideOf(ctx, e, res); err != nil {
			return err
		}
	}
	if v != nil {
		defer func() {
			res.growth, res.tuned = v.growth, v.tuned
			if res.wide == "" {
				res.judgedAs(v.apartBy(), v.exact)
			}
		}()
	}
	if v != nil && v.resumed > 0 && v.best != nil {
		v.standsIn(res, v.summary(fmt.Sprintf("; taken up after %d iterations of a process that was stopped", v.resumed)))
		return nil
	}
	if v != nil && v.best != nil && (w.only == onlyCenters || res.fellBack != "") {
		planned := res.fellBack
		v.ladder(ctx)
		v.last(ctx)
		v.standsIn(res, v.summary(""))
		if w.only != onlyCenters && w.search.standIn {
			res.StandIn = planned + "; this is " + v.summary("")
		}
		return nil
	}
	if res.fellBack != "" {
		return nil // what the search had in hand
	}
	if v == nil || v.best == nil {
		return w.exact(ctx, e, res, nil)
	}
	if err := w.exact(ctx, e, res, v); err != nil {
		return err
	}
	ahead := e.metric.better
	if res.Model != nil && res.Model.Rows == w.p.Len() {
		ahead = v.clearly // the learner itself has seen everything
	}
	// Rows apart that have nothing of a rare class judge nobody: the choice of the folds stays.
	judged := !math.IsNaN(v.best.score)
	if res.Model == nil || judged && (math.IsNaN(v.exact) || ahead(v.best.score, v.exact)) {
		v.ladder(ctx)
		v.last(ctx)
		why := v.summary("")
		if res.Model != nil {
			why = v.summary(fmt.Sprintf(", where %v on %s has %.4g", res.Chosen, ofRows(res.Model.Rows, w.p.Len()), v.exact))
		}
		unjudged := res.Model == nil || math.IsNaN(v.exact)
		planned := res.Chosen
		v.standsIn(res, why)
		if unjudged && w.search.standIn {
			res.StandIn = fmt.Sprintf("there was no time to fit %v; this is %s", planned, v.summary(""))
		}
	}
	return nil
}

// mayBeWide says whether few centres of all rows can take part: the problem has one target, and
// candidates of the table of learners.
func (w *wholeFit) mayBeWide(e *engine) bool {
	return w.search.Budget > 0 && e.kept == nil && len(e.p.More) == 0 && len(e.fallbacks()) > 0
}

// goOn takes the first answer of learners that were named to more rows, in the time that is left:
// their search came to nothing better.
func (w *wholeFit) goOn(ctx context.Context, e *engine, res *Result) error {
	within, cancel := w.clock.until(ctx, w.end)
	defer cancel()
	if held := w.search.climbOn(within, e, res.held, w.end); held != res.held {
		held.standsIn(res, len(w.search.Candidates), e.p.Len(), res.fellBack)
	}
	return nil
}

// wideOf begins with few centres of all rows and the kernel of the chosen cell, or that of what the
// search had in hand.
func (w *wholeFit) wideOf(ctx context.Context, e *engine, res *Result) (*wide, error) {
	chosen, spaces := res.Chosen, e.spaces
	if res.fellBack != "" {
		chosen, spaces = res.held.best, res.held.engine.spaces
	}
	s := spaces[chosen.Candidate]
	k, err := s.kernelAt(chosen.theta)
	if err != nil {
		return nil, err
	}
	v := newWide(w, e)
	within, cancel := w.clock.until(ctx, w.end)
	defer cancel()
	if v.given, v.hold = s.given, s.hold; !v.resume(ctx) {
		v.begin(within, k, s.kernelName())
	}
	return v, nil
}

// exact fits the chosen cell on the rows of the search and on twice as many while there is time and
// hope: with few centres to compete with, a share of the time first, and the rest where it is
// ahead.
func (w *wholeFit) exact(ctx context.Context, e *engine, res *Result, v *wide) error {
	begun, allowed := w.clock.now(), w.left()
	if v != nil {
		allowed = time.Duration(growthShare * float64(allowed))
	}
	e.pace = newPace(w.clock, max(allowed, time.Millisecond), true, e.calibrate)
	inHand := v != nil || res.held != nil || w.search.mayFallBack(e)
	if err := w.search.fitChosen(ctx, e, res, inHand); err != nil {
		return w.search.notFitted(err)
	}
	if res.Model == nil {
		if v != nil {
			return nil
		}
		return w.late(ctx, e, res)
	}
	return w.grow(ctx, e, res, v, w.clock.now().Sub(begun))
}

// straight fits the chosen cell on all rows; where the time ends in its iterations the model is
// that of the last one.
func (w *wholeFit) straight(ctx context.Context, e *engine, res *Result) error {
	if res.fellBack != "" {
		return nil
	}
	within, cancel := w.clock.until(ctx, w.end)
	defer cancel()
	m, err := e.fitRows(within, res.Chosen, w.p)
	var stopped *learn.Stopped[any]
	switch {
	case errors.As(err, &stopped):
		s := e.spaces[res.Chosen.Candidate]
		k, err := s.kernelAt(res.Chosen.theta)
		if err != nil {
			return err
		}
		m = &Fitted{Learner: s.Learner, Kernel: k, Params: s.learnerAt(res.Chosen.theta), Task: w.p.Task, Rows: w.p.Len(),
			Classes: w.p.Classes, classes: w.p.ClassCount(), Model: stopped.Model, use: s.Use}
		r := stopped.Model.Report()
		res.Warnings = append(res.Warnings, fmt.Sprintf("the time was up in the iterations on all rows: %s %.2g after %d",
			r.Certified, r.Certificate, r.Iterations))
	case err != nil && within.Err() != nil:
		return w.late(ctx, e, res)
	case err != nil:
		return err
	}
	res.Model = m
	return nil
}

// late is the end of a contest in which nothing was fitted in time.
func (w *wholeFit) late(ctx context.Context, e *engine, res *Result) error {
	held := res.held
	if held == nil {
		held = w.search.holdLate(ctx, e)
	}
	if held == nil {
		return w.search.notFitted(w.search.fitChosen(ctx, e, res, false))
	}
	held.standsIn(res, len(w.search.Candidates), w.p.Len(), fmt.Sprintf("there was no time to fit %v", res.Chosen))
	return nil
}

// growth is how many times longer a fit of twice the rows is taken to be: n²·⁵.
const growth = 5.7

// grow fits the chosen cell on twice the rows while the last fit says that there is time for it and
// for the rows held out; a fit that does not end in time leaves the one before.
func (w *wholeFit) grow(ctx context.Context, e *engine, res *Result, v *wide, took time.Duration) error {
	share, before := w.left(), math.NaN()
	if v != nil {
		share = time.Duration(growthShare * float64(share))
		v.exact = v.score(ctx, res.Model)
		v.note(res.Model, res.Model.Model.Func().Centers.Len(), v.exact, took)
	}
	for all := w.p.Len(); res.Model.Rows < all && ctx.Err() == nil; {
		testing, err := w.testing(ctx, res.Model)
		if err != nil {
			return err
		}
		next, final := time.Duration(growth*float64(took)), v != nil && res.Model.Rows == v.rest.Len()
		if final { // as many rows, and those apart
			next = 2 * took
		}
		switch {
		case next+testing > w.left(), final && v.clearly(v.best.score, v.exact), v != nil && next > share &&
			!v.hope(before, took, w.left()):
			return nil
		}
		more, rows := w.moreRows(v, 2*res.Model.Rows, final)
		begun := w.clock.now()
		within, cancel := w.clock.until(ctx, w.end.Add(-testing))
		var m *Fitted
		err, ended := e.pace.heeded(within, func() (err error) {
			m, err = e.fitRows(within, res.Chosen, more)
			return err
		})
		cancel()
		switch {
		case !ended || err != nil && within.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		res.Model, w.rows, took = m, rows, w.clock.now().Sub(begun)
		if share -= took; v != nil && !final {
			before, v.exact = v.exact, v.score(ctx, m)
			v.note(m, m.Model.Func().Centers.Len(), v.exact, took)
		}
	}
	return nil
}

// hope says whether the chosen cell would be ahead of few centres on as many rows as there is time
// for, if twice the rows went on to lower its error by the factor that they did.
func (v *wide) hope(before float64, took, left time.Duration) bool {
	now, best := v.loss(v.exact), v.loss(v.best.score)
	if now <= best {
		return true
	}
	if math.IsNaN(before) || !(before > 0) {
		return false
	}
	factor := now / v.loss(before)
	for t := growth * float64(took); t < float64(left); t += growth * t {
		if now *= factor; now <= best {
			return true
		}
	}
	return false
}

// moreRows is a problem of more rows, all of them at last; those that models are judged by are left
// out before.
func (w *wholeFit) moreRows(v *wide, count int, final bool) (learn.Problem[any], []int) {
	of, all := w.p, []int(nil)
	if v != nil && !final {
		of, all = v.rest, v.split.Train
	}
	if count >= of.Len() {
		return of, all
	}
	rows := someRows(of, count, w.search.Seed)
	more := of.Gather(rows)
	if all != nil {
		rows = data.Take(all, rows)
	}
	return more, rows
}

// testing is how long a model will take to predict the rows held out, by a few.
func (w *wholeFit) testing(ctx context.Context, m *Fitted) (time.Duration, error) {
	const few = 256
	some := w.p.Gather(par.Indices(0, min(few, w.p.Len())))
	asked := w.clock.now()
	_, err := m.PredictAll(ctx, some.Points)
	return time.Duration(2 * float64(w.clock.now().Sub(asked)) / float64(max(some.Len(), 1)) * float64(w.test)), err
}
