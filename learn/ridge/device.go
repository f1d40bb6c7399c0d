package ridge

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
)

// deviceFrom is the number of points from which a factorisation is work for a device, and deviceTo
// the one up to which its matrix is thought of: 320 GB.
const (
	deviceFrom = 4000
	deviceTo   = 200000
)

// byDevice says whether a factorisation of K + λI is for the device: where none, or a dense one,
// was asked for, and points are many and of the same weight.
func (p *ridgeProblem) byDevice(asked, chosen Method) bool {
	n := len(p.keep)
	direct := asked == Auto && chosen == CG || chosen == Cholesky || chosen == Mixed
	return p.Device != nil && p.s == nil && direct && n >= deviceFrom && n <= deviceTo
}

// solveDevice factorises K + λI on the device: in single precision, refined to what double
// precision would leave, or in double precision where that was asked for or the other cannot. It
// returns nil where the device cannot: the kernel, libraries, memory, a matrix that is not
// positive, a device that was lost.
func (p *ridgeProblem) solveDevice(ctx context.Context, double bool) (*ridgeSolution, error) {
	k, vectors := kernel.Concrete(p.kernel).(kernel.Kernel[kernel.Vec])
	if !vectors {
		return nil, nil
	}
	if !double {
		if s, err := p.mixedOnDevice(ctx, k); s != nil || err != nil {
			return s, err
		}
	}
	return p.doubleOnDevice(ctx, k)
}

// mixedOnDevice is solveMixed with products and factor on the device. The norm is that of K + λI
// times a vector of ones, which for values of one sign is about the largest there is.
func (p *ridgeProblem) mixedOnDevice(ctx context.Context, k kernel.Kernel[kernel.Vec]) (*ridgeSolution, error) {
	m, err := gram.NewMixedSystem(ctx, p.Device, k, data.MustVectors(p.x), p.lambda, p.Threads)
	if err != nil {
		return nil, ctx.Err()
	}
	defer m.Close()
	n := len(p.keep)
	ones, sums := linalg.New[float64](n, 1), linalg.New[float64](n, 1)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	m.MulTo(linalg.Dense(sums), linalg.Dense(ones), false)
	norm := math.Hypot(p.lambda, fitting.ColumnNorms(sums)[0]/math.Sqrt(float64(n)))
	if m.Err() != nil {
		return nil, ctx.Err()
	}
	return p.refine(ctx, m, m, norm, 8*int64(n)*int64(p.y.Cols+p.free.Cols))
}

// doubleOnDevice takes a step of refinement: residuals come from products in double precision with
// K itself.
func (p *ridgeProblem) doubleOnDevice(ctx context.Context, k kernel.Kernel[kernel.Vec]) (*ridgeSolution, error) {
	f, err := gram.NewCenterFactor(p.Device, k, data.MustVectors(p.x), p.lambda)
	if err != nil {
		return nil, ctx.Err()
	}
	defer f.Close()
	solved := func(b linalg.Matrix[float64]) bool {
		return f.SolveTo(linalg.Dense(b), false) == nil && f.SolveTo(linalg.Dense(b), true) == nil
	}
	b := p.right()
	x, r := b.Clone(), linalg.New[float64](b.Rows, b.Cols)
	residual := func() bool {
		done, err := gram.DeviceProduct(ctx, p.Device, p.kernel, p.x, p.x, linalg.Dense(r), linalg.Dense(x), gram.Double)
		for i := range r.Data {
			r.Data[i] = b.Data[i] - r.Data[i] - p.lambda*x.Data[i]
		}
		return done && err == nil
	}
	if !solved(x) || !residual() {
		return nil, ctx.Err()
	}
	step := r.Clone()
	if !solved(step) {
		return nil, ctx.Err()
	}
	for i, d := range step.Data {
		x.Data[i] += d
	}
	if !residual() {
		return nil, ctx.Err()
	}
	beta, c, err := p.combine(x)
	if err != nil {
		return nil, err
	}
	left := relativeResidual(r, b)
	return &ridgeSolution{beta: beta, c: c, residual: left, steps: 1, bytes: 8 * int64(b.Rows) * int64(b.Cols),
		how: Cholesky, settled: left <= directResidual}, nil
}
