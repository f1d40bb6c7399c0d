package rkhs

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Project is the orthogonal projection of f on the span of {k(c, ·)} for c in
// points: the g in the span nearest to f, with ⟨f-g, k(c, ·)⟩ = f(c)-g(c) = 0
// for each c. The centres of g are points of which none depends on the others
// to working precision.
func (f *Func[T]) Project(ctx context.Context, points data.Points[T]) (*Func[T], error) {
	g, err := project(ctx, f.open(), data.Erase(points))
	return Typed(f.Kernel, g), err
}

func project(ctx context.Context, f *Func[any], points data.Points[any]) (*Func[any], error) {
	if points == nil || points.Len() == 0 {
		return nil, fault.Errorf("rkhs", "projection on the span of no points")
	}
	if err := kernel.CheckPair(f.Kernel, f.Centers, points); err != nil {
		return nil, fault.In("rkhs", err)
	}
	k := linalg.New[float64](points.Len(), points.Len())
	if err := kernel.Fill(0, blas64.General(k), kernel.Prepare(ctx, f.Kernel, points, points)); err != nil {
		return nil, err
	}
	p, err := linalg.NewPivotedCholeskyContext(ctx, 0, k.Clone(), linalg.PivotedOptions{Tolerance: 1e-14})
	if err != nil {
		return nil, fault.Errorf("rkhs", "projection: %w", err)
	}
	r := len(p.Pivots)
	if r == 0 {
		return nil, fault.Errorf("rkhs", "projection on a span that is zero: k(c, c) = 0 at every point")
	}
	l := linalg.New[float64](r, r)
	kpp := linalg.New[float64](r, r)
	for a, i := range p.Pivots {
		copy(l.Row(a)[:a+1], p.L.Row(i)[:a+1])
		for b, j := range p.Pivots {
			kpp.Set(a, b, k.At(i, j))
		}
	}
	chol := &linalg.Cholesky{L: l}
	centers := data.Gather(points, p.Pivots)
	target := linalg.New[float64](r, f.Outputs())
	mulKernel(ctx, 0, f.Kernel, centers, f.Centers, linalg.Of(f.Coef), target)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	beta := target.Clone()
	chol.Solve(0, beta)
	for range 2 { // refinement: the equations hold to the precision of K itself
		rest := target.Clone()
		linalg.Gemm(0, linalg.NoTrans, linalg.NoTrans, -1, kpp, beta, 1, rest)
		chol.Solve(0, rest)
		for i := range beta.Rows {
			b := beta.Row(i)
			for j, v := range rest.Row(i) {
				b[j] += v
			}
		}
	}
	return &Func[any]{Kernel: f.Kernel, Centers: centers, Coef: linalg.Dense(beta)}, nil
}

// MeanEmbedding is μ = Σᵢ wᵢ k(xᵢ, ·), the mean of the sample in H: ⟨f, μ⟩ is
// the mean of f over it. No weights means 1/n each; weights need not be
// positive, nor sum to 1.
func MeanEmbedding[T any](k kernel.Kernel[T], x data.Points[T], weights []float64) (*Func[T], error) {
	if x == nil || x.Len() == 0 {
		return nil, fault.Errorf("rkhs", "mean embedding of no points")
	}
	n := x.Len()
	if weights != nil && len(weights) != n {
		return nil, fault.Errorf("rkhs", "%d points but %d weights", n, len(weights))
	}
	coef := mat.NewDense(n, 1, nil)
	for i := range n {
		w := 1 / float64(n)
		if weights != nil {
			w = weights[i]
		}
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fault.Errorf("rkhs", "weight %d is %g", i, w)
		}
		coef.Set(i, 0, w)
	}
	return New(k, x, coef, nil)
}
