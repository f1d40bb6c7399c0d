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
// solution for the larger λ before is where they start. Several systems are solved side by side.
func (s *Space) regularised(
	ctx context.Context, k *kind, epsilon float64, systems []system, shifts []float64, a accuracy,
) ([][]solution, error) {
	n, c := s.part.Nodes, systems[0].y.Cols
	cols := c * len(systems)
	right := linalg.New[float64](n, cols)
	known := linalg.New[float64](n, len(systems))
	out := make([][]solution, len(systems))
	for g, sys := range systems {
		sys.spread(right.Slice(0, n, g*c, (g+1)*c), sys.y)
		for _, v := range sys.at {
			known.Set(v, g, 1)
		}
		out[g] = make([]solution, len(shifts))
	}
	tol := min(a.tol, 1e-3) // residuals are of all nodes here, and of a smooth f the smaller part
	diagonal := k.l.Diagonal()
	x := linalg.New[float64](n, cols)
	for j, shift := range slices.Backward(shifts) {
		op := sparseSystem{s: s, k: k, known: known, each: c, weight: shift / epsilon, epsilon: epsilon}
		inverse := linalg.New[float64](n, len(systems))
		for i, d := range diagonal {
			for g, own := range known.Row(i) {
				inverse.Set(i, g, 1/(own+op.weight*(d+epsilon)))
			}
		}
		cg := solve.CG{Tol: tol, MaxIter: max(4*a.steps, 100), Precond: scaling{s.Resources.Threads, inverse, c},
			WarmStart: true, Trace: s.Resources.Trace}
		res, err := cg.Solve(ctx, op, linalg.Dense(x), linalg.Dense(right))
		if err != nil {
			return nil, err
		}
		for g, sys := range systems {
			own := x.Slice(0, n, g*c, (g+1)*c)
			if sys.want != nil {
				own = sys.wanted(own)
			} else {
				own = own.Clone()
			}
			residual := slices.Max(res.Residual[g*c : (g+1)*c])
			out[g][j] = solution{f: own, iterations: res.Iterations, converged: residual <= 10*tol,
				certified: "relative residual", residual: residual}
		}
	}
	return out, nil
}

// sparseSystem is P + weight·(L + εI), with a P for as many columns as each system has.
type sparseSystem struct {
	s               *Space
	k               *kind
	known           linalg.Matrix[float64] // nodes × systems
	each            int
	weight, epsilon float64
}

// Dims implements linalg.Operator.
func (o sparseSystem) Dims() (r, c int) { return o.known.Rows, o.known.Rows }

// MulTo implements linalg.Operator.
func (o sparseSystem) MulTo(dst, v *mat.Dense, _ bool) {
	threads := o.s.Resources.Threads
	o.k.l.MulTo(threads, dst, v)
	par.For(threads, o.known.Rows, 2048, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := dst.RawRowView(i), v.RawRowView(i)
			for g, known := range o.known.Row(i) {
				own := known + o.weight*o.epsilon
				for j := g * o.each; j < (g+1)*o.each; j++ {
					to[j] = o.weight*to[j] + own*from[j]
				}
			}
		}
	})
}

// scaling is a diagonal preconditioner, a diagonal for as many columns as each system has.
type scaling struct {
	threads int
	by      linalg.Matrix[float64] // nodes × systems
	each    int
}

// ApplyTo implements solve.Preconditioner.
func (p scaling) ApplyTo(dst, r *mat.Dense) {
	par.For(p.threads, p.by.Rows, 2048, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := dst.RawRowView(i), r.RawRowView(i)
			for g, v := range p.by.Row(i) {
				for j := g * p.each; j < (g+1)*p.each; j++ {
					to[j] = v * from[j]
				}
			}
		}
	})
}
