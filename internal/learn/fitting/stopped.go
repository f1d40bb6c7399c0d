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

// TypedStop is the error of a fit of points that have lost their type, as one of points that have
// it: typed gives it back to the model that a *learn.Stopped holds. Other errors stay as they are.
func TypedStop[T any](err error, typed func(learn.Model[any]) learn.Model[T]) error {
	stopped, ok := err.(*learn.Stopped[any])
	if !ok {
		return err
	}
	return &learn.Stopped[T]{Model: typed(stopped.Model), Err: stopped.Err}
}
