package fitting

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// EraseSource is rows whose points have forgotten their type.
func EraseSource[T any](rows data.Source[T]) data.Source[any] {
	switch rows := any(rows).(type) {
	case nil:
		return nil
	case data.Source[any]:
		return rows
	case data.Source[kernel.Vec]: // which sums on devices find again
		return data.EraseVectorSource(rows)
	}
	return erasedSource[T]{rows}
}

type erasedSource[T any] struct{ data.Source[T] }

// Pass gives the points of each block without their type.
func (s erasedSource[T]) Pass(ctx context.Context, size int, f func(data.Block[any]) error) error {
	return s.Source.Pass(ctx, size, func(b data.Block[T]) error { return f(data.EraseBlock(b)) })
}
