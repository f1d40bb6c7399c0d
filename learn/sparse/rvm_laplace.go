package sparse

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
)

// bernoulliRelevance is sparse Bayesian classification, p(yᵢ = 1) = σ(Φw)ᵢ. For
// given α the posterior of w is replaced by the Gaussian at its mode (Laplace):
// with B = diag(σ(1-σ)) it is regression on targets Φμ + B⁻¹(y - σ) with noise B⁻¹,
// where Q_m = φ_mᵀ(y - σ).
type bernoulliRelevance struct {
	relevance
	threads int
	sign    []float64 // ±1
	weight  []float64
}

// mode climbs to the mode of the posterior of the active weights by Newton's
// method with halving, and leaves curvatures B and residuals y - σ there.
func (b *bernoulliRelevance) mode(ctx context.Context, curve, residual []float64) (*linalg.Cholesky, float64, error) {
	n, a := len(b.sign), len(b.active)
	phi := linalg.New[float64](a, n)
	for i, m := range b.active {
		copy(phi.Row(i), b.basis.Row(m))
	}
	score := make([]float64, n)
	value := func(mu []float64) float64 { // log p(y|w) + log p(w) up to constants
		clear(score)
		v := 0.0
		for i, w := range mu {
			simd.Axpy(w, phi.Row(i), score)
			v -= b.alpha[i] * w * w / 2
		}
		for i, s := range b.sign {
			v -= b.weight[i] * sigmoid.Softplus(-s*score[i])
		}
		return v
	}
	now := value(b.mu)
	scaled, grad, next := linalg.New[float64](a, n), make([]float64, a), make([]float64, a)
	for it := 0; ; it++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		for i, s := range b.sign {
			p := sigmoid.Of(-s * score[i])
			residual[i] = b.weight[i] * s * p
			curve[i] = b.weight[i] * p * (1 - p)
		}
		for i := range a {
			src, dst := phi.Row(i), scaled.Row(i)
			for j, c := range curve {
				dst[j] = c * src[j]
			}
			grad[i] = simd.Dot(src, residual) - b.alpha[i]*b.mu[i]
		}
		h := linalg.New[float64](a, a)
		if a > 0 {
			if err := linalg.GemmContext(ctx, b.threads, linalg.NoTrans, linalg.Trans, 1, scaled, phi, 0, h); err != nil {
				return nil, 0, err
			}
		}
		for i := range a {
			h.Row(i)[i] += b.alpha[i]
		}
		chol, err := linalg.NewCholeskyContext(ctx, b.threads, h)
		if err != nil {
			return nil, 0, err
		}
		step := append([]float64(nil), grad...)
		if a > 0 {
			if err := chol.SolveContext(ctx, b.threads, fitting.Column(step)); err != nil {
				return nil, 0, err
			}
		}
		decrement := simd.Dot(step, grad)
		if a == 0 || decrement <= 1e-16*math.Max(1, math.Abs(now)) || it == 100 {
			return chol, now, nil
		}
		scale := 1.0
		for ; scale > 1e-12; scale /= 2 {
			for i := range next {
				next[i] = b.mu[i] + scale*step[i]
			}
			if v := value(next); v >= now+1e-4*scale*decrement || v >= now-1e-14*math.Abs(now) && scale == 1 &&
				decrement < 1e-10 {
				now = v
				break
			}
		}
		if scale <= 1e-12 { // rounding leaves nothing to gain
			now = value(b.mu)
			return chol, now, nil
		}
		copy(b.mu, next)
	}
}

// refresh computes μ, Σ, S, Q and the Laplace evidence from α.
func (b *bernoulliRelevance) refresh(ctx context.Context) error {
	n, a := len(b.sign), len(b.active)
	curve, residual := make([]float64, n), make([]float64, n)
	chol, value, err := b.mode(ctx, curve, residual)
	if err != nil {
		return err
	}
	b.log = value - chol.LogDet()/2
	linalg.Gemv(b.threads, linalg.NoTrans, 1, b.basis, residual, 0, b.q)
	for m := range b.s {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := 0.0
		for i, v := range b.basis.Row(m) {
			s += curve[i] * v * v
		}
		b.s[m] = s
	}
	if a == 0 {
		return nil
	}
	scaled := linalg.New[float64](a, n)
	for i, m := range b.active {
		b.log += math.Log(b.alpha[i]) / 2
		src, dst := b.basis.Row(m), scaled.Row(i)
		for j, c := range curve {
			dst[j] = c * src[j]
		}
	}
	v := linalg.New[float64](a, len(b.s))
	if err := linalg.GemmContext(ctx, b.threads, linalg.NoTrans, linalg.Trans, 1, scaled, b.basis, 0, v); err != nil {
		return err
	}
	if err := chol.SolveLContext(ctx, b.threads, v); err != nil {
		return err
	}
	for i := range a {
		for m, w := range v.Row(i) {
			b.s[m] -= w * w
		}
	}
	inverse, err := chol.InverseContext(ctx, b.threads) // Σ itself is wanted, not a solution
	if err != nil {
		return err
	}
	for i := range a {
		copy(b.sigma.Row(i)[:a], inverse.Row(i))
	}
	return nil
}

// maximise makes the best single change until none is expected to raise the
// evidence by tol. The mode moves with α, so the gain of a change is that of
// the Gaussian at the old mode; where many changes together have gained nothing, it
// stops.
func (b *bernoulliRelevance) maximise(ctx context.Context, tol float64, limit int, listen trace.Func) (rvmStop, error) {
	start := time.Now()
	var out rvmStop
	if err := b.refresh(ctx); err != nil {
		return out, err
	}
	top, since := b.log, 0
	for out.steps < limit {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		move, m, alpha, gain := b.best()
		out.gain = gain
		if m < 0 || gain <= tol || since > 20+3*len(b.active) {
			out.converged = gain <= math.Max(tol, 1e-3)
			return out, nil
		}
		switch move {
		case addBasis:
			b.enter(m, alpha)
		case reestimateBasis:
			b.alpha[b.slot[m]] = alpha
		case deleteBasis:
			b.leave(b.slot[m])
		}
		if err := b.refresh(ctx); err != nil {
			return out, err
		}
		out.steps++
		since++
		if b.log > top+tol {
			top, since = b.log, 0
		}
		listen.Report(trace.Step{Iteration: out.steps, Objective: -b.log, Residual: gain, Elapsed: time.Since(start)})
	}
	return out, nil
}
