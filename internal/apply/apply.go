// Package apply is how every fitted thing is used: points and destination are
// checked, the context is obeyed, and an error names the row. Vectors for a fit are
// taken in here too. A function
//
//	f(x) = Σᵢ αᵢ k(cᵢ, x) + b
//
// (the representer theorem: G. Kimeldorf and G. Wahba, 1971) is the one shape
// that most fitted things have.
package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

var errNoPoints = errors.New("there are no points; give at least one")

// Slice makes room for one result a point, and fills it; fill refuses what has
// no points.
func Slice[R, T any](x data.Points[T], fill func(dst []R) error) ([]R, error) {
	dst := make([]R, count(x))
	if err := fill(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

// Matrix makes room for a row of results a point, and fills it; fill refuses what
// has no points.
func Matrix[T any](x data.Points[T], cols int, fill func(dst *mat.Dense) error) (*mat.Dense, error) {
	var dst *mat.Dense
	if n := count(x); n > 0 {
		dst = mat.NewDense(n, cols, nil)
	}
	if err := fill(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

func count[T any](x data.Points[T]) int {
	if x == nil {
		return 0
	}
	return x.Len()
}

// Points refuses what has no point.
func Points[T any](x data.Points[T]) error {
	if count(x) == 0 {
		return errNoPoints
	}
	return nil
}

// IntoSlice refuses a destination that has not a place for each of n points.
func IntoSlice[R any](dst []R, n int) error {
	if len(dst) != n {
		return fmt.Errorf("the destination has %d places for %d points; give as many", len(dst), n)
	}
	return nil
}

// IntoMatrix refuses a destination that is not rows × cols.
func IntoMatrix(dst *mat.Dense, rows, cols int) error {
	if dst == nil {
		return fmt.Errorf("the destination is nil; give a matrix of %d rows and %d columns", rows, cols)
	}
	if r, c := dst.Dims(); r != rows || c != cols {
		return fmt.Errorf("the destination has %d rows and %d columns; give one with %d and %d", r, c, rows, cols)
	}
	return nil
}

// Check refuses points that k cannot take beside the centres it knows.
func Check[T any](ctx context.Context, k kernel.Kernel[T], centers, x data.Points[T]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := Points(x); err != nil {
		return err
	}
	return kernel.CheckNext(k, centers, x)
}

// Func sets row i of dst to f(x.At(i)).
func Func[T any](ctx context.Context, dst *mat.Dense, f *rkhs.Func[T], x data.Points[T], threads int) error {
	if err := Check(ctx, f.Kernel, f.Centers, x); err != nil {
		return err
	}
	if err := IntoMatrix(dst, x.Len(), f.Outputs()); err != nil {
		return err
	}
	return f.EvaluateTo(ctx, dst, x, rkhs.EvalOptions{Threads: threads})
}
