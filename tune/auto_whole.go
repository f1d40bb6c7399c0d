package tune

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/learn"
)

// wholeFit is the last fit of Auto where the search saw a part of the rows: of all rows, or of as many as there is time for.
type wholeFit[T any] struct {
	search Search[T] // on the part
	p      learn.Problem[T]
	rows   []int // that the chosen cell is fitted on: at first those of the part
	clock  clock
	end    time.Time
	test   int // rows held out, to be predicted in the time as well
}

func (w *wholeFit[T]) left() time.Duration { return w.end.Sub(w.clock.now()) }

// fit gives res its model. Few centres of all rows come first, since their time is known; then the chosen cell, on the rows of the
// search and on twice as many while there is time. Where it does not get to all rows, the two are compared on rows that
// neither has seen.
func (w *wholeFit[T]) fit(ctx context.Context, res *Result[T]) error {
	if ctx.Err() != nil && res.Model != nil {
		return nil // stopped, with what was in hand
	}
	e, err := w.search.engine()
	if err != nil {
		return err
	}
	wide := w.fewCenters(ctx, e, res)
	if res.fellBack != "" {
		if wide != nil {
			w.fallBack(res, wide, res.fellBack)
		}
		return nil
	}
	if wide == nil {
		wide = res.held
	}
	begun := w.clock.now()
	e.pace = newPace(w.clock, max(w.left(), time.Millisecond), true, e.calibrate)
	if wide, err = w.search.fitInTime(ctx, e, res, wide); err != nil {
		return err
	}
	if res.Model == nil {
		w.fallBack(res, wide, fmt.Sprintf("there was no time to fit %v", res.Chosen))
		return nil
	}
	if err := w.grow(ctx, e, res, w.clock.now().Sub(begun)); err != nil {
		return err
	}
	if all := w.p.Len(); wide != nil && res.Model.Rows < wide.model.Rows && ctx.Err() == nil {
		if score, ok := w.onOtherRows(ctx, e, res.Model); ok && e.metric.better(wide.best.Mean, score) {
			w.fallBack(res, wide, fmt.Sprintf("%v on %s, all there was time for, is worse (%s %.4g)", res.Chosen, ofRows(res.Model.Rows, all), e.metric.Name, score))
		}
	}
	return nil
}

// fallBack makes few centres the result: of all rows, or what the search had in hand.
func (w *wholeFit[T]) fallBack(res *Result[T], f *fallback[T], why string) {
	res.ofAll = f.ofAll
	f.standsIn(res, len(w.search.Candidates), w.p.Len(), why)
}

// fewCenters is ridge regression on few centres of all rows, with the kernel of the chosen cell, in a third of the time that is
// left. How many centres is told by the time that those of the search took, and is a power of two, for the clock to
// have little to say. Where there is nothing else to spend the time on they are doubled while it lasts.
func (w *wholeFit[T]) fewCenters(ctx context.Context, e *engine[T], res *Result[T]) *fallback[T] {
	chosen, spaces := res.Chosen, e.spaces
	if res.fellBack != "" {
		chosen, spaces = res.held.best, res.held.engine.spaces
	}
	s := w.search
	s.Problem, s.Folds = w.p, nil
	fit := func(count int) *fallback[T] {
		f := s.fallbackOf(ctx, w.clock, []Candidate[T]{spaces[chosen.Candidate].fewCenters(chosen.theta, count, w.p.Points)}, nil, w.left()/3)
		if f != nil {
			f.ofAll = true
		}
		return f
	}
	rows := float64(w.p.Len())
	// Sums of squares, copies of them in a solution and blocks of rows: see ridge's.
	inMemory := math.Sqrt(float64(e.bytes)/64) / 2
	most := min(2*math.Sqrt(rows), inMemory)
	switch h := res.held; {
	case h == nil: // there was no time for them on fewer rows
		most = 0
	case h.took > 0:
		most = min(most, math.Sqrt(w.left().Seconds()/6*h.work/h.took.Seconds()/rows))
	}
	count := max(64, 1<<max(bits.Len(uint(most))-1, 0))
	f := fit(count)
	for res.fellBack != "" && f != nil && time.Duration(growth*float64(f.took)) < w.left()*2/3 && float64(2*count) <= min(8*math.Sqrt(rows), inMemory) {
		count *= 2
		next := fit(count)
		if next == nil || next.model.Rows < f.model.Rows || !e.metric.better(next.best.Mean, f.best.Mean) {
			break
		}
		f = next
	}
	return f
}

// growth is how many times longer a fit of twice the rows, or centres, is taken to be: n²·⁵.
const growth = 5.7

// grow fits the chosen cell on twice the rows while the last fit says that there is time for it and for the rows held out; a fit that does not
// end in time leaves the one before.
func (w *wholeFit[T]) grow(ctx context.Context, e *engine[T], res *Result[T], took time.Duration) error {
	for all := w.p.Len(); res.Model.Rows < all && ctx.Err() == nil; {
		asked := w.clock.now()
		const few = 256
		if _, err := res.Model.PredictAll(ctx, w.p.Gather(w.rows[:min(few, len(w.rows))]).Points); err != nil {
			return err
		}
		testing := time.Duration(2 * float64(w.clock.now().Sub(asked)) / float64(min(few, len(w.rows))) * float64(w.test))
		if time.Duration(growth*float64(took))+testing > w.left() {
			return nil
		}
		more, rows := w.p, []int(nil)
		if next := 2 * res.Model.Rows; next < all {
			rows = someRows(w.p, next, w.search.Seed)
			more = w.p.Gather(rows)
		}
		begun := w.clock.now()
		within, cancel := w.clock.until(ctx, w.end.Add(-testing))
		var m *Fitted[T]
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
	}
	return nil
}

// judgedRows is how many rows a model of a part of them is judged on.
const judgedRows = 2000

// onOtherRows is the score of a model on rows that it was not fitted on.
func (w *wholeFit[T]) onOtherRows(ctx context.Context, e *engine[T], m *Fitted[T]) (float64, bool) {
	seen := make([]bool, w.p.Len())
	for _, i := range w.rows {
		seen[i] = true
	}
	var rows []int
	for _, i := range rand.New(rand.NewPCG(w.search.Seed, 0x6f74686572)).Perm(w.p.Len()) {
		if !seen[i] && len(rows) < judgedRows {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return 0, false
	}
	known, err := m.known(ctx, w.p.Gather(rows))
	if err != nil {
		return 0, false
	}
	score := e.metric.Score(known)
	return score, !math.IsNaN(score)
}
