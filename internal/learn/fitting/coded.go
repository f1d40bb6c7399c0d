package fitting

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Coded is rows whose target is the number of their class, from 0, each looked at as it comes.
func Coded[T any](rows data.Source[T], classes int) (data.Source[T], error) {
	switch {
	case rows == nil || rows.Len() == 0:
		return nil, learn.ErrNoPoints
	case rows.Outputs() != 1:
		return nil, fmt.Errorf("the rows have %d targets, want the number of their class", rows.Outputs())
	case classes < 2:
		return nil, fmt.Errorf("%d classes; a classifier needs two or more", classes)
	}
	return codedRows[T]{rows, classes}, nil
}

type codedRows[T any] struct {
	data.Source[T]
	classes int
}

// Pass refuses a target that is no number of a class.
func (r codedRows[T]) Pass(ctx context.Context, size int, f func(data.Block[T]) error) error {
	return r.Source.Pass(ctx, size, func(b data.Block[T]) error {
		for i := range b.Len() {
			if v := b.Target(i)[0]; v != math.Trunc(v) || !(v >= 0 && v < float64(r.classes)) {
				return fmt.Errorf("target of row %d is %g; a class is a whole number from 0 to %d", b.First+i, v, r.classes-1)
			}
		}
		return f(b)
	})
}
