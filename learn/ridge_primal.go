package learn

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// explicitFeatures is φ of a kernel k(x, y) = ⟨φ(x), φ(y)⟩ on some points.
type explicitFeatures struct {
	dim    int
	fill   func(ctx context.Context, dst linalg.Matrix[float64]) // a row φ(x) for each point
	linear bool                                                  // φ is the identity: weights are points
}

// explicitOf looks for explicit features; nil means there are none.
func explicitOf[T any](k kernel.Kernel[T], x data.Points[T]) *explicitFeatures {
	points, ok := any(x).(data.Points[kernel.Vec])
	if !ok || x.Len() == 0 {
		return nil
	}
	d := len(points.At(0))
	if d == 0 {
		return nil
	}
	e := &explicitFeatures{}
	apply := func(dst, x kernel.Vec) { copy(dst, x) }
	switch k := any(k).(type) {
	case kernel.Linear:
		e.dim, e.linear = d, true
	case kernel.FeatureMapper:
		e.dim, apply = k.FeatureDim(d), k.Features
	default:
		return nil
	}
	e.fill = func(ctx context.Context, dst linalg.Matrix[float64]) {
		for i := 0; i < dst.Rows && ctx.Err() == nil; i++ {
			apply(dst.Row(i), points.At(i))
		}
	}
	return e
}

// fitPrimal solves (ΦᵀWΦ + λI)·v = ΦᵀW·y for the weights of the features,
// centred by their weighted means when there is an intercept. For the linear
// kernel the weights are themselves the centre of the function; otherwise
// v = Σ cᵢ φ(xᵢ) over some points whose features span all of them.
func (p *ridgeProblem[T]) fitPrimal(ctx context.Context, e *explicitFeatures, start time.Time) (*RidgeModel[T], error) {
	n, m := p.y.Rows, p.y.Cols
	plain := linalg.New[float64](n, e.dim)
	e.fill(ctx, plain)
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
	normal := linalg.New[float64](e.dim, e.dim)
	if err := linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, phi, 0, normal); err != nil {
		return nil, err
	}
	right, size := linalg.New[float64](e.dim, m), 0.0
	if err := linalg.GemmContext(ctx, p.Threads, linalg.Trans, linalg.NoTrans, 1, phi, y, 0, right); err != nil {
		return nil, err
	}
	for i := range e.dim {
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
		return nil, fmt.Errorf("ΦᵀΦ + λI with λ = %g: %w; raise Lambda", p.lambda, err)
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
	f, err := p.primalFunc(ctx, e, plain, w)
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
	if err := finiteCoefficients(f); err != nil {
		return nil, err
	}
	return &RidgeModel[T]{f: f, report: Report{
		Learner: "ridge (" + RidgePrimal.String() + ")", Iterations: 1, Objective: objective,
		Certificate: relativeResidual(r, right), Certified: "relative residual", Converged: true,
		Bytes: 8 * int64(n) * int64(e.dim), Warnings: p.warnings, Elapsed: time.Since(start),
	}}, nil
}

// centre takes the weighted means off the rows of S·A and returns them.
func (p *ridgeProblem[T]) centre(a linalg.Matrix[float64]) []float64 {
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

// primalFunc writes x ↦ ⟨w, φ(x)⟩ as a kernel expansion.
func (p *ridgeProblem[T]) primalFunc(ctx context.Context, e *explicitFeatures, phi, w linalg.Matrix[float64]) (*rkhs.Func[T], error) {
	m := w.Cols
	if e.linear {
		centers, coef := linalg.New[float64](m, e.dim), linalg.New[float64](m, m)
		for j := range m {
			for a := range e.dim {
				centers.Set(j, a, w.At(a, j))
			}
			coef.Set(j, j, 1)
		}
		return &rkhs.Func[T]{Kernel: p.kernel, Centers: any(data.RowsOf(centers)).(data.Points[T]), Coef: linalg.Dense(coef)}, nil
	}
	// Φᵀ·P = Q·R: the first columns of P are points with independent features.
	t := linalg.New[float64](e.dim, phi.Rows)
	for i := range phi.Rows {
		for j, v := range phi.Row(i) {
			t.Set(j, i, v)
		}
	}
	qr, err := linalg.NewPivotedQRContext(ctx, p.Threads, t)
	if err != nil {
		return nil, err
	}
	rank := qr.Rank(1e-13)
	if rank == 0 {
		return nil, fmt.Errorf("all features are 0 at all points")
	}
	c, err := qr.Solve(p.Threads, w.Clone(), rank)
	if err != nil {
		return nil, err
	}
	index := append([]int(nil), qr.Perm[:rank]...)
	coef := linalg.New[float64](rank, m)
	for a, i := range index {
		copy(coef.Row(a), c.Row(i))
	}
	return &rkhs.Func[T]{Kernel: p.kernel, Centers: data.OwnSubset(p.x, index), Coef: linalg.Dense(coef)}, nil
}
