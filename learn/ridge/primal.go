package ridge

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// fitPrimal solves (ΦᵀWΦ + λI)·v = ΦᵀW·y for the weights of the features,
// centred by their weighted means when there is an intercept. For the linear
// kernel the weights are themselves the centre of the function; otherwise
// v = Σ cᵢ φ(xᵢ) over some points whose features span all of them.
func (p *ridgeProblem) fitPrimal(
	ctx context.Context, e *fitting.ExplicitFeatures, start time.Time,
) (*Regressor[any], error) {
	n, m := p.y.Rows, p.y.Cols
	plain := linalg.New[float64](n, e.Dim)
	e.Fill(ctx, plain)
	phi, y := plain, p.y
	var means, ymeans []float64
	if p.intercept {
		phi, y = plain.Clone(), p.y.Clone()
		p.scaleRows(phi)
		means, ymeans = p.centre(phi), p.centre(y)
	} else if p.s != nil {
		phi = plain.Clone()
		p.scaleRows(phi)
	}
	normal := linalg.New[float64](e.Dim, e.Dim)
	if err := linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, phi, 0, normal); err != nil {
		return nil, err
	}
	right, size := linalg.New[float64](e.Dim, m), 0.0
	if err := linalg.GemmContext(ctx, p.Threads, linalg.Trans, linalg.NoTrans, 1, phi, y, 0, right); err != nil {
		return nil, err
	}
	for i := range e.Dim {
		size = math.Max(size, normal.At(i, i))
		normal.Row(i)[i] += p.lambda
	}
	if math.IsInf(size, 0) || math.IsNaN(size) {
		return nil, fmt.Errorf("the features overflow when squared; scale the columns")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	chol, err := linalg.NewCholeskyContext(ctx, p.Threads, normal)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("ΦᵀΦ + λI with λ = %g: %w; raise lambda", p.lambda, err)
	}
	w := right.Clone()
	if err := chol.SolveContext(ctx, p.Threads, w); err != nil {
		return nil, err
	}
	r, fitted := right.Clone(), linalg.New[float64](n, m)
	residual := func() error { // of the normal equations, from Φ itself rather than from the product
		fitted.CopyFrom(y)
		if err := linalg.GemmContext(ctx, p.Threads, linalg.NoTrans, linalg.NoTrans, -1, phi, w, 1, fitted); err != nil {
			return err
		}
		r.CopyFrom(w)
		return linalg.GemmContext(ctx, p.Threads, linalg.Trans, linalg.NoTrans, 1, phi, fitted, -p.lambda, r)
	}
	if err := residual(); err != nil {
		return nil, err
	}
	if err := chol.SolveContext(ctx, p.Threads, r); err != nil {
		return nil, err
	}
	for i := range r.Data {
		w.Data[i] += r.Data[i]
	}
	if err := residual(); err != nil {
		return nil, err
	}
	objective := 0.0
	for i := range fitted.Data {
		objective += fitted.Data[i] * fitted.Data[i]
	}
	for i := range w.Data {
		objective += p.lambda * w.Data[i] * w.Data[i]
	}
	f, err := fitting.PrimalFunc(ctx, p.Threads, p.kernel, p.x, e, plain, w)
	if err != nil {
		return nil, err
	}
	if p.intercept {
		f.Bias = make([]float64, m)
		for j := range f.Bias {
			f.Bias[j] = ymeans[j]
			for a, v := range means {
				f.Bias[j] -= v * w.At(a, j)
			}
		}
	}
	f = p.moved.Back(f)
	if err := fitting.FiniteCoefficients(f); err != nil {
		return nil, err
	}
	left := relativeResidual(r, right)
	return newRegressor(f, p.doubted(learn.Report{
		Learner: "ridge (" + Primal.String() + ")", Iterations: 1, Objective: objective,
		Certificate: left, Certified: "relative residual", Converged: left <= directResidual,
		Bytes: 8 * int64(n) * int64(e.Dim), Warnings: p.warnings, Elapsed: time.Since(start),
	})), nil
}

// centre takes the weighted means off the rows of S·A and returns them.
func (p *ridgeProblem) centre(a linalg.Matrix[float64]) []float64 {
	means, total := make([]float64, a.Cols), 0.0
	root := func(i int) float64 {
		if p.s == nil {
			return 1
		}
		return p.s[i]
	}
	for i := range a.Rows {
		total += root(i) * root(i)
		for j, v := range a.Row(i) {
			means[j] += root(i) * v
		}
	}
	for j := range means {
		means[j] /= total
	}
	for i := range a.Rows {
		row := a.Row(i)
		for j := range row {
			row[j] -= root(i) * means[j]
		}
	}
	return means
}
