package nodes

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"gonum.org/v1/gonum/mat"
)

// regularised solves with K = ε(L + εI)⁻¹, whose inverse is sparse: f is where the gradient of
// Σ(y − f)² + (λ/ε)·fᵀ(L + εI)f is 0,
//
//	(P + (λ/ε)(L + εI))f = Py,
//
// with P = 1 for known nodes and 0 for others. Conjugate gradients take a product with L each; the
// solution for the larger λ before is where they start.
func (s *Space) regularised(ctx context.Context, k *kind, epsilon float64, sys system, shifts []float64, a accuracy) ([]solution, error) {
	n, c := s.part.Nodes, sys.y.Cols
	right := linalg.New[float64](n, c)
	known := make([]float64, n)
	for i, v := range sys.at {
		copy(right.Row(v), sys.y.Row(i))
		known[v] = 1
	}
	diagonal := k.l.Diagonal()
	out := make([]solution, len(shifts))
	x := linalg.New[float64](n, c)
	for j, shift := range slices.Backward(shifts) {
		op := sparseSystem{s: s, k: k, known: known, weight: shift / epsilon, epsilon: epsilon}
		inverse := make([]float64, n)
		for i, d := range diagonal {
			inverse[i] = 1 / (known[i] + op.weight*(d+epsilon))
		}
		cg := solve.CG{Tol: a.tol, MaxIter: max(4*a.steps, 100), Precond: scaling(inverse), WarmStart: true, Trace: s.Resources.Trace}
		res, err := cg.Solve(ctx, op, linalg.Dense(x), linalg.Dense(right))
		if err != nil {
			return nil, err
		}
		own := linalg.New[float64](n, c)
		own.CopyFrom(x)
		out[j] = solution{f: own, iterations: res.Iterations, converged: res.Converged, certified: "relative residual", residual: slices.Max(res.Residual)}
	}
	return out, nil
}

// sparseSystem is P + weight·(L + εI).
type sparseSystem struct {
	s               *Space
	k               *kind
	known           []float64
	weight, epsilon float64
}

// Dims implements linalg.Operator.
func (o sparseSystem) Dims() (r, c int) { return len(o.known), len(o.known) }

// MulTo implements linalg.Operator.
func (o sparseSystem) MulTo(dst, v *mat.Dense, _ bool) {
	threads := o.s.Resources.Threads
	o.k.l.MulTo(threads, dst, v)
	par.For(threads, len(o.known), 2048, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := dst.RawRowView(i), v.RawRowView(i)
			own := o.known[i] + o.weight*o.epsilon
			for j, x := range from {
				to[j] = o.weight*to[j] + own*x
			}
		}
	})
}

// scaling is a diagonal preconditioner.
type scaling []float64

// ApplyTo implements solve.Preconditioner.
func (p scaling) ApplyTo(dst, r *mat.Dense) {
	for i, v := range p {
		to, from := dst.RawRowView(i), r.RawRowView(i)
		for j, x := range from {
			to[j] = v * x
		}
	}
}
