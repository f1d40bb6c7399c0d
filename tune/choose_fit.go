package tune

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// choose is the cell to fit, given the best.
func (s Search) choose(e *engine, cells []Cell, best Cell) Cell {
	switch {
	case s.OneSE:
		return e.simplest(cells, best)
	case s.Second.Score != nil:
		return e.seconded(cells, best)
	}
	return best
}

// fitChosen fits the chosen cell on all rows; there is no model afterwards where something is in
// hand and the time was too short. A cell that the fit refuses, though its folds were not refused,
// has no score: it is failed with what the fit said, and the next is chosen.
func (s Search) fitChosen(ctx context.Context, e *engine, r *Result, inHand bool) (err error) {
	for {
		var refused error
		if r.Model, refused = e.lastFit(ctx, r.Chosen, inHand); refused == nil {
			return nil
		}
		refused = fault.Errorf("tune", "the last fit, %v: %w", r.Chosen, refused)
		if err == nil {
			err = refused
		}
		if ctx.Err() != nil || !recoverable(refused) {
			return refused
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%v is left out, since it cannot be fitted on all rows: %v", r.Chosen,
			fault.Plain(refused)))
		for i := range r.Cells {
			if c := &r.Cells[i]; key(c.Candidate, c.theta) == key(r.Chosen.Candidate, r.Chosen.theta) {
				c.Failed = refused.Error()
			}
		}
		best, ok := e.winner(r.Cells)
		if !ok {
			return err // of the cell that was best
		}
		r.Best, r.Chosen = best, s.choose(e, r.Cells, best)
	}
}

// fitInTime is fitChosen with what is in hand, which is returned: where it was nothing, few centres
// are still quicker than a fit that has just shown to take too long, and only where not even they
// can be had is the chosen cell fitted on some of the rows.
func (s Search) fitInTime(ctx context.Context, e *engine, r *Result, held *fallback) (*fallback, error) {
	err := s.fitChosen(ctx, e, r, held != nil || e.leader != nil || s.mayFallBack(e))
	if err == nil && r.Model == nil && held == nil && e.leader == nil {
		if held = s.holdLate(ctx, e); held == nil {
			err = s.fitChosen(ctx, e, r, false)
		}
	}
	return held, err
}

// refitter fits the cell that is chosen in the end, without what the engine keeps for the search.
func (e *engine) refitter(r *Result) func(context.Context, learn.Problem[any]) (*Fitted, error) {
	r.fitCell = e.light().fitRows
	return func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
		return r.fitCell(ctx, r.Chosen, p)
	}
}

// light is what a fit needs of the engine.
func (e *engine) light() *engine {
	return &engine{spaces: e.spaces, standIn: e.standIn, metric: e.metric, tol: e.tol, threads: e.threads, bytes: e.bytes,
		calibrate: e.calibrate}
}
