package linalg

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// crew is who works on a routine, and until when: a bound of threads and the
// context that may call the work off.
//
// A routine whose context has ended leaves out the pieces of work it has not
// begun and returns at once, its result unfinished; so do the routines above
// it, and the exported one at the top reports the context's error in place of
// whatever came of it. No piece takes more than a few milliseconds. Nothing is
// computed differently for the sake of it: the bits are those of the routine
// without a context.
type crew struct {
	threads int
	ctx     context.Context // nil: to the end
	// rowwise makes an element of a product depend on its row and its column alone, to the last
	// bit: no short cut by the shape of the whole, which would add up in another order where fewer
	// rows, or fewer right-hand sides, are asked for.
	rowwise bool
}

// stopped says whether the work was called off.
func (w crew) stopped() bool { return w.ctx != nil && w.ctx.Err() != nil }

// each is par.For that leaves out pieces once the work was called off.
func (w crew) each(n, grain int, f func(lo, hi int)) {
	if w.ctx == nil {
		par.For(w.threads, n, grain, f)
		return
	}
	par.For(w.threads, n, grain, func(lo, hi int) {
		if w.ctx.Err() == nil {
			f(lo, hi)
		}
	})
}

// share is a part of the crew for each of so many pieces of work side by side.
func (w crew) share(pieces int) crew {
	w.threads = max(par.Workers(w.threads)/pieces, 1)
	return w
}

// alone is the crew with one thread.
func (w crew) alone() crew {
	w.threads = 1
	return w
}
