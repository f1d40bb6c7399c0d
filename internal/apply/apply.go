// Package apply is how every fitted thing is used: points are checked before anything is computed
// and an error names the row, the context ends the work, and results go into the caller's memory.
// No points are no results, without an error; points that are nil are an error. Vectors for a fit
// are taken in here too.
package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var errNilPoints = errors.New("no points: x is nil")

// Start refuses a context that has ended and points that are nil.
func Start[T any](ctx context.Context, x data.Points[T]) error {
	if x == nil {
		return errNilPoints
	}
	return ctx.Err()
}

// Check is Start for points that k has to take beside the centres it knows. Those were checked when
// the model was fitted or restored, and are not looked through again.
func Check[T any](ctx context.Context, k kernel.Kernel[T], centers, x data.Points[T]) error {
	if err := Start(ctx, x); err != nil || x.Len() == 0 {
		return err
	}
	if err := kernel.CheckNext(k, centers, x); err != nil {
		return &fault.Point{Err: fault.Plain(err)} // the row matters here, not who looked at it
	}
	return nil
}

// CheckLen refuses a destination of another length than there are points.
func CheckLen(have, points int) error {
	if have != points {
		return fmt.Errorf("the destination has room for %d values, and there are %d points", have, points)
	}
	return nil
}

// CheckDims refuses a destination of another shape. An empty matrix, or none, has room for no
// points.
func CheckDims(dst *mat.Dense, points, outputs int) error {
	if points == 0 && (dst == nil || dst.IsEmpty()) {
		return nil
	}
	if dst == nil {
		return fmt.Errorf("no destination: dst is nil, want %d×%d", points, outputs)
	}
	if r, c := dst.Dims(); r != points || c != outputs {
		return fmt.Errorf("the destination is %d×%d, want %d×%d: a row for each point", r, c, points, outputs)
	}
	return nil
}

// Slice has to fill a new slice with a value for each point.
func Slice[R, T any](x data.Points[T], to func(dst []R) error) ([]R, error) {
	n := 0
	if x != nil {
		n = x.Len()
	}
	dst := make([]R, n)
	if err := to(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

// Matrix has to fill a new matrix with a row for each point; it has none where there are no points.
func Matrix[T any](x data.Points[T], cols int, to func(dst *mat.Dense) error) (*mat.Dense, error) {
	dst := new(mat.Dense)
	if x != nil && x.Len() > 0 {
		dst = mat.NewDense(x.Len(), cols, nil)
	}
	if err := to(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

// To sets row i of dst to f(x.At(i)).
func To[T any](ctx context.Context, f *rkhs.Func[T], dst *mat.Dense, x data.Points[T], o ...rkhs.EvalOptions) error {
	if err := Start(ctx, x); err != nil {
		return err
	}
	if err := CheckDims(dst, x.Len(), f.Outputs()); err != nil || x.Len() == 0 {
		return err
	}
	if f.Centers.Len() == 0 { // an online learner that has not learnt yet
		for i := range x.Len() {
			copy(dst.RawRowView(i), f.Bias)
		}
		return nil
	}
	return fault.Plain(f.EvaluateTo(ctx, dst, x, o...))
}

// New is To into a new matrix.
func New[T any](ctx context.Context, f *rkhs.Func[T], x data.Points[T], o ...rkhs.EvalOptions) (*mat.Dense, error) {
	return Matrix(x, f.Outputs(), func(dst *mat.Dense) error { return To(ctx, f, dst, x, o...) })
}

// Column is To for a function of one output.
func Column[T any](ctx context.Context, f *rkhs.Func[T], dst []float64, x data.Points[T]) error {
	if err := Start(ctx, x); err != nil {
		return err
	}
	if err := CheckLen(len(dst), x.Len()); err != nil || len(dst) == 0 {
		return err
	}
	s := scratches.Get().(*scratch)
	defer s.giveBack()
	return To(ctx, f, s.over(len(dst), 1, dst), x)
}

// scratch is a matrix between predictions, so that a service that predicts row after row allocates
// none.
type scratch struct {
	header mat.Dense
	own    []float64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// over is the matrix of some numbers.
func (s *scratch) over(rows, cols int, numbers []float64) *mat.Dense {
	s.header.SetRawMatrix(blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: numbers})
	return &s.header
}

func (s *scratch) giveBack() {
	s.header.SetRawMatrix(blas64.General{})
	scratches.Put(s)
}

// With calls f with a matrix to work in, as it was left by whoever used it before.
func With(rows, cols int, f func(m *mat.Dense) error) error {
	s := scratches.Get().(*scratch)
	defer s.giveBack()
	if rows == 0 || cols == 0 {
		return f(&s.header)
	}
	if cap(s.own) < rows*cols {
		s.own = make([]float64, rows*cols)
	}
	return f(s.over(rows, cols, s.own[:rows*cols]))
}
