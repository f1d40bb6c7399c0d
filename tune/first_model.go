package tune

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// Size and time of the first model.
const (
	firstRows  = 500                    // it is judged and fitted on, or a fifth where that takes too long
	firstTime  = 250 * time.Millisecond // for each of the two, where the budget is seconds or more
	firstShare = 0.03                   // of the budget, else
)

// firstModel is what a search has to show when it is stopped before a good cell
// is judged on all rows, which can take tens of seconds: one path of one candidate, on
// some rows. Nothing else looks at it: a search that goes on has the bits that it would have without.
type firstModel[T any] struct {
	cells []Cell
	folds []data.Fold
	best  Cell
	model *Fitted[T]
}

// fitFirst makes the first model of a search with a time budget on many rows:
// few rows are judged at once, and without a budget the work is all that was asked for.
// Nil: there is no use for one, or no time.
func (s Search[T]) fitFirst(ctx context.Context, e *engine[T]) *firstModel[T] {
	if s.Budget == 0 || e.best != nil || e.kept != nil || e.p.Len() < 2*firstRows {
		return nil
	}
	allowed := min(firstTime, time.Duration(firstShare*float64(s.Budget)))
	for _, count := range []int{firstRows, firstRows / 5} {
		if m := s.firstOf(ctx, e, count, allowed); m != nil {
			return m
		}
	}
	return nil
}

// firstOf is the first model of so many rows, where it takes no longer than allowed.
func (s Search[T]) firstOf(ctx context.Context, e *engine[T], count int, allowed time.Duration) *firstModel[T] {
	rows := someRows(e.p, count, s.Seed)
	s.Problem, s.Folds, s.Journal, s.Trace = e.p.Gather(rows), nil, "", nil
	small, err := s.engine()
	if err != nil {
		return nil // too few rows of a class, or of a group, for the folds
	}
	small.pace = newPace(e.pace.clock, allowed, false, false)
	limited, cancel := e.pace.clock.until(ctx, small.pace.end())
	err = small.evaluate(limited, small.middlePath(0))
	cancel()
	if err != nil && limited.Err() == nil {
		return nil
	}
	m := &firstModel[T]{cells: small.table(), folds: foldsOf(rows, small.folds)}
	var ok bool
	if m.best, ok = small.winner(m.cells); !ok {
		return nil
	}
	limited, cancel = e.pace.clock.until(ctx, e.pace.clock.now().Add(allowed))
	defer cancel()
	err, ok = e.pace.heeded(limited, func() (err error) {
		m.model, err = small.fitRows(limited, m.best, small.p)
		return err
	})
	if err != nil || !ok {
		return nil
	}
	return m
}

// middlePath is the trials of a candidate at the middle of its kernel's axes:
// all values of the learner's, which one Gram matrix serves.
func (e *engine[T]) middlePath(candidate int) []trial {
	s := e.spaces[candidate]
	values := make([][]float64, len(s.axes))
	for a, axis := range s.axes {
		values[a] = axis.Values
		if middle := len(axis.Values) / 2; a < s.kernelAxes {
			values[a] = axis.Values[middle : middle+1]
		}
	}
	return product(candidate, values)
}

// leads says whether the first model is better than the best cell of the search, where it found one:
// the first cells of a path are far from its best, and more rows would but help the first model.
func (m *firstModel[T]) leads(by Metric, best Cell, found bool) bool {
	return m != nil && (!found || by.better(m.best.Mean, best.Mean))
}

// standsIn makes the first model the result of a search of so many rows.
func (m *firstModel[T]) standsIn(r *Result[T], rows int) {
	r.Cells, r.Folds, r.judged = m.cells, m.folds, m.model.Rows
	r.Best, r.Chosen, r.Model = m.best, m.best, m.model
	r.Interrupted = true
	r.Warnings = append(r.Warnings, fmt.Sprintf("the best so far is a first model: judged and fitted on %d of %d rows", m.model.Rows, rows))
}
