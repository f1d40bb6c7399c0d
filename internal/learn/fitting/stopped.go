package fitting

import (
	"cmp"
	"context"

	"github.com/mercer-ml/mercer/learn"
)

// Kept is the model that a fit ends with, or, where its context ended, the error that holds it.
// stopped is what ended the iterations, if anything did.
func Kept[T any, M learn.Model[T]](ctx context.Context, m M, stopped error) (none M, _ error) {
	if err := cmp.Or(stopped, ctx.Err()); err != nil {
		return none, &learn.Stopped[T]{Model: m, Err: err}
	}
	return m, nil
}
