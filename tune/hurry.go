package tune

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// spare is the share of the budget kept, until a cell is judged, for a search
// on fewer rows: somebody who gives a second for a million rows is to get a model and
// a warning, not an error a second later.
const spare = 0.2

// Rows of the tries on fewer of them.
const (
	fewer     = 4  // times fewer each time
	fewestPer = 10 // for each class, or in all: the last try
)

// onFewerRows runs the search on ever fewer rows until a cell is judged; e had
// no time for any on all of them. Its cells, with their folds counted in the rows of
// e's problem, take the place of those that never were. False: there was no time even for the fewest.
func (s Search[T]) onFewerRows(ctx context.Context, e *engine[T], strategy Strategy, r *Result[T]) bool {
	whole := &run[T]{engine: e, search: s}
	fewest := min(fewestPer*max(e.p.ClassCount(), 1), e.p.Len())
	for count := e.p.Len() / fewer; ctx.Err() == nil; count /= fewer {
		last := count <= fewest || e.pace.left() < quick/10
		if last {
			count = fewest
		}
		part, err := whole.onRows(count, 0.5)
		if err != nil {
			return false // too few rows of a class, or of a group, for the folds
		}
		small := part.(*run[T])
		if last {
			small.pace = newPace(e.pace.clock, quick, false, false)
		}
		limited, cancel := e.pace.clock.until(ctx, small.pace.end())
		err = strategy.run(limited, small)
		cancel()
		if err != nil && limited.Err() == nil {
			return false
		}
		if small.judged(r, someRows(e.p, count, s.Seed)) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("there was no time to judge a cell on all %d rows: the scores are of %d of them; run again with more time", e.p.Len(), r.judged))
			return true
		}
		if last {
			return false
		}
	}
	return false
}

// judged writes the cells of a search on some rows, where it has judged any,
// into the result of the search on all of them.
func (r *run[T]) judged(into *Result[T], rows []int) bool {
	cells := r.table()
	if _, ok := r.winner(cells); !ok {
		return false
	}
	into.Cells, into.Folds, into.judged = cells, foldsOf(rows, r.folds), len(rows)
	return true
}

// foldsOf counts folds of some rows in the rows of the whole.
func foldsOf(rows []int, folds []data.Fold) (out []data.Fold) {
	for _, f := range folds {
		out = append(out, data.Fold{Train: data.Take(rows, f.Train), Test: data.Take(rows, f.Test)})
	}
	return out
}
