package logistic

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/trace"
)

// primalUpTo is the number of explicit features up to which Auto solves for their weights.
const primalUpTo = 256

// primalState is the weights u of explicit features φ, f(x) = ⟨u, φ(x)⟩ + b, with what the
// objective says of them.
type primalState struct {
	u     []float64 // the last is b where there is an intercept
	value float64
	grad  []float64
	norm  float64   // of the gradient in the RKHS
	slope []float64 // g = ℓ' of each point
	curve []float64 // ℓ'' of each point
}

// minimise is Newton's method for two classes on the weights of explicit features: few unknowns,
// and a step is
//
//	(Φᵀ·W·Φ + λI)·δ = -(Φᵀg + λu),  W = diag(ℓ''), g = ℓ',
//
// with a column of ones for b, which is not penalised. Making that matrix costs as much as several
// gradients where there are many features: it is kept for four steps, which are corrected by how
// the gradient changed over those before (L-BFGS, Nocedal 1980, with the matrix for its initial
// metric), and for good once two more of those will do. Steps are halved as Armijo's rule asks.
// goal is the norm of the gradient to reach, relative to that at 0, and enough what will do where
// rounding lets it come no nearer. It is nil where steps do not get there; then others may.
func (p *primalProblem) minimise(
	ctx context.Context, goal, enough float64, maxIter int, listen trace.Func,
) (now *primalState, first float64, steps int, err error) {
	now, next := p.state(), p.state()
	p.visit(now)
	first = now.norm
	if math.IsNaN(first) || math.IsInf(first, 0) {
		return nil, first, 0, nil
	}
	metric := primalMetric{step: make([]float64, len(now.u))}
	last := math.Inf(1)
	for ; ; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, first, steps, err
		}
		listen.Report(trace.Step{Iteration: steps, Objective: now.value, Residual: now.norm})
		switch {
		case now.norm <= goal*first, steps == maxIter:
			return now, first, steps, nil
		case now.norm <= enough*first && now.norm > 0.5*last:
			return now, first, steps, nil
		}
		if metric.age >= p.keep && !(stepsLeft(now.norm, last, goal*first) <= 2) {
			metric.factor = nil
		}
		last = now.norm
		for {
			if metric.factor == nil && !p.refresh(ctx, &metric, now) {
				return nil, first, steps, ctx.Err() // all points are beyond doubt, to rounding
			}
			if p.descend(metric.direction(now.grad), now, next) {
				break
			}
			if metric.age == 0 {
				if now.norm <= enough*first {
					return now, first, steps, nil
				}
				return nil, first, steps, nil
			}
			metric.factor = nil // a step by a matrix of here, then
		}
		if metric.age == 0 && next.norm > 0.5*now.norm {
			p.hessians.exact = true // it may be the metric's digits that are missing
		}
		metric.learn(now, next)
		now, next = next, now
	}
}

// primal is minimise for features of which no function can be made but through the points: at the
// optimum λα = -g, so that the solution is returned as that of the kernel's own problem, with the
// certificate of that.
func (r *logisticRisk) primal(
	ctx context.Context, f *fitting.ExplicitFeatures, threads int, tol float64, maxIter int, listen trace.Func,
) (*logisticSolution, error) {
	p := newPrimalProblem(ctx, f, r.code, r.weight, r.lambda, r.intercept, threads)
	at, first, steps, err := p.minimise(ctx, 1e-3*tol, 0.1*tol, maxIter, listen) // the certificate is taken from g alone
	if err != nil || at == nil {
		return nil, err
	}
	n := len(r.code)
	state := make([]float64, 2*n+1)
	for i, v := range at.slope {
		state[i] = -v
	}
	if r.intercept {
		state[2*n] = at.u[f.Dim]
	}
	if s := r.finish(state, first, steps); s.certificate <= tol {
		return s, nil
	}
	return nil, nil
}

// stepsLeft is how many more there will be if the gradient goes on to shrink as it did.
func stepsLeft(norm, last, goal float64) float64 {
	if !(norm < last) {
		return math.Inf(1)
	}
	return math.Log(goal/norm) / math.Log(norm/last)
}

// descend goes from now the largest share 1, ½, ¼, … of a step that lowers the objective enough, to
// next; it says whether there is one.
func (p *primalProblem) descend(step []float64, now, next *primalState) bool {
	slope := simd.Dot(now.grad, step)
	if !(slope < 0) {
		return false
	}
	for share := 1.0; share > 1e-10; share /= 2 {
		for j, v := range step {
			next.u[j] = now.u[j] + share*v
		}
		p.visit(next)
		// Rounding hides a decrease near the end.
		if next.value <= now.value+1e-4*share*slope+1e-14*math.Abs(now.value) {
			return true
		}
	}
	return false
}

// primalMetric is a factorised Hessian and how the gradient changed since.
type primalMetric struct {
	factor *linalg.Cholesky
	age    int // steps since
	moves  []primalMove
	step   []float64
}

// primalMove is a step and the change of gradient it made, with their product.
type primalMove struct {
	u, grad []float64
	product float64
	share   float64 // of the direction being made
}

// direction is minus the inverse of the metric, as the moves since correct it, times a gradient
// (Nocedal and Wright 2006, algorithm 7.4).
func (m *primalMetric) direction(grad []float64) []float64 {
	for j, v := range grad {
		m.step[j] = -v
	}
	for i := len(m.moves) - 1; i >= 0; i-- {
		v := &m.moves[i]
		v.share = simd.Dot(v.u, m.step) / v.product
		simd.Axpy(-v.share, v.grad, m.step)
	}
	m.factor.Solve(1, fitting.Column(m.step))
	for i := range m.moves {
		v := &m.moves[i]
		simd.Axpy(v.share-simd.Dot(v.grad, m.step)/v.product, v.u, m.step)
	}
	return m.step
}

// learn takes a step down.
func (m *primalMetric) learn(from, to *primalState) {
	m.age++
	v := primalMove{u: make([]float64, len(from.u)), grad: make([]float64, len(from.u))}
	for j := range v.u {
		v.u[j], v.grad[j] = to.u[j]-from.u[j], to.grad[j]-from.grad[j]
	}
	if v.product = simd.Dot(v.u, v.grad); v.product > 0 {
		m.moves = append(m.moves, v)
	}
}

// refresh makes the metric the Hessian at a state; not where it is singular to rounding.
func (p *primalProblem) refresh(ctx context.Context, m *primalMetric, at *primalState) bool {
	factor, err := linalg.NewCholeskyContext(ctx, p.threads, p.hessian(at))
	if err != nil && !p.hessians.exact && ctx.Err() == nil {
		p.hessians.exact = true
		factor, err = linalg.NewCholeskyContext(ctx, p.threads, p.hessian(at))
	}
	if err != nil {
		return false
	}
	m.factor, m.age, m.moves = factor, 0, m.moves[:0]
	return true
}
