package rkhs

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Grad is the gradient of each output of f at x, a row each.
func Grad(ctx context.Context, f *Func[kernel.Vec], x kernel.Vec) (*mat.Dense, error) {
	if len(x) == 0 {
		return nil, fault.Errorf("rkhs", "no gradient at a point without coordinates")
	}
	dst := mat.NewDense(f.Outputs(), len(x), nil)
	if err := GradTo(ctx, dst, f, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// GradTo sets row j of dst to the gradient of output j of f at x, ∇f(x) = Σᵢ αᵢ ∂k(x, cᵢ)/∂x. The
// error says that the kernel has no gradient, that x is not a point of it, or is that of ctx.
func GradTo(ctx context.Context, dst *mat.Dense, f *Func[kernel.Vec], x kernel.Vec) error {
	out, coef := linalg.Of(dst), linalg.Of(f.Coef)
	if out.Rows != coef.Cols || out.Cols != len(x) {
		return fault.Errorf("rkhs", "gradient of %d outputs in %d coordinates does not fit a %d×%d matrix", coef.Cols, len(x),
			out.Rows, out.Cols)
	}
	if err := kernel.CheckNext(f.Kernel, f.Centers, data.Points[kernel.Vec](data.Slice[kernel.Vec]{x})); err != nil {
		return fault.In("rkhs", err)
	}
	for j := range out.Rows {
		clear(out.Row(j))
	}
	g := make(kernel.Vec, len(x))
	for i := 0; i < coef.Rows && ctx.Err() == nil; i++ {
		if err := kernel.InputGrad(f.Kernel, g, x, f.Centers.At(i)); err != nil {
			return fault.In("rkhs", err)
		}
		for j, a := range coef.Row(i) {
			simd.Axpy(a, g, out.Row(j))
		}
	}
	return ctx.Err()
}
