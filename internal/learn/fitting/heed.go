package fitting

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Heed is what f returns, and the context's error in place of it once the context has ended: what
// kernel.Until and the like leave unfinished then never becomes a model. f looks at the context
// wherever it would work for more than a few milliseconds, in the calling goroutine.
func Heed[R any](ctx context.Context, f func() (R, error)) (R, error) {
	var none R
	if err := ctx.Err(); err != nil {
		return none, err
	}
	r, err := f()
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	if err != nil {
		return none, err
	}
	return r, nil
}

// Rows is par.For that leaves out the pieces not begun when the context ends.
func Rows(ctx context.Context, t int, n, grain int, f func(lo, hi int)) {
	par.For(t, n, grain, func(lo, hi int) {
		if ctx.Err() == nil {
			f(lo, hi)
		}
	})
}
