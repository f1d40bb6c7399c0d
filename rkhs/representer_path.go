package rkhs

import (
	"context"
	"math"
)

// With any penalty r(‖f‖) the minimiser is on the path of ridge solutions: of all functions of its
// norm it has the least risk, and so has f_λ, the minimiser of R(f) + (λ/2)·‖f‖², of all those no
// longer than itself. As λ falls ‖f_λ‖ = s grows, and along the path
//
//	d/ds (R + r) = r'(s) - λs.

// onPath is f_λ, with R(f) + r(‖f‖) as the objective of its certificate.
type onPath struct {
	lambda, norm, risk float64
	slope              float64 // r'(s) - λs
	inner              float64 // how far the risk may be above the least for its norm
	c                  Certificate
	state              []float64
	dual               bool
}

// at is the function of a λ, looked for from that of another.
func (r Representer[T]) at(
	ctx context.Context, p *regularised, lambda float64, from []float64, goal float64,
) (*onPath, error) {
	f := &onPath{lambda: lambda, state: append([]float64(nil), from...)}
	p.lambda = lambda
	if p.second != nil {
		goal *= 1e-8 // the gap of r is of the first order in what the gradient is off by
	}
	n := p.n()
	var err error
	if f.c, f.dual, err = r.minimise(ctx, p, f.state, goal); err != nil {
		return nil, err
	}
	f.norm = math.Sqrt(max(0, dot(f.state[:n], f.state[n:2*n])))
	f.risk = f.c.Objective - lambda/2*f.norm*f.norm
	f.inner = f.c.Gap
	value, slope := r.Penalty.Value(f.norm)
	f.c.Objective, f.slope = f.risk+value, slope-lambda*f.norm
	return f, nil
}

// certify sets the gap by Fenchel's inequality: with G = Σ ℓ'ᵢ k(xᵢ, ·)/n a subgradient of the risk
// at f, R(g) ≥ R(f) + ⟨G, g - f⟩ and r(‖g‖) ≥ ‖G‖·‖g‖ - r*(‖G‖) for all g, hence
//
//	J(f) - J(f*) ≤ r(‖f‖) + r*(‖G‖) + ⟨G, f⟩,
//
// for the bias at hand. A dual point has G = -λf, and its own gap beside.
func (f *onPath) certify(p *regularised, penalty ConvexPenalty) {
	n := p.n()
	alpha, z := f.state[:n], f.state[n:2*n]
	value, _ := penalty.Value(f.norm)
	if f.dual {
		q := f.lambda * f.norm
		f.c.Gap = max(0, value+penalty.Conjugate(q)-q*f.norm) + f.inner
		return
	}
	p.lambda = f.lambda
	grad := make([]float64, 2*n+1)
	p.Eval(f.state, grad)
	along, size := 0.0, 0.0
	for i, g := range grad[:n] {
		c := g - f.lambda*alpha[i]
		along += c * z[i]
		size += c * (grad[n+i] - f.lambda*z[i])
	}
	f.c.Gap = max(0, value+penalty.Conjugate(math.Sqrt(max(0, size)))+along)
}

// The most functions of a path that are looked at.
const mostOnPath = 400

// firstLambda is ‖∇R(0)‖, from which ‖f_λ‖ ≤ 1.
func firstLambda(p *regularised) float64 {
	n := p.n()
	grad := make([]float64, 2*n+1)
	p.lambda = 0
	p.Eval(make([]float64, 2*n+1), grad)
	if q := math.Sqrt(max(0, dot(grad[:n], grad[n:2*n]))); q > 0 {
		return q
	}
	return 1
}

// crossing finds where the slope along the path, which increases with the norm for a convex
// penalty, is 0.
func (r Representer[T]) crossing(
	ctx context.Context, p *regularised, state []float64, penalty ConvexPenalty, goal float64,
) (Certificate, error) {
	var best, low, high *onPath // low: λ too small, the slope not negative; high: λ too large
	lambda, iterations := firstLambda(p), 0
	for range mostOnPath {
		from := state
		if best != nil {
			from = best.state
		}
		f, err := r.at(ctx, p, lambda, from, goal/10)
		if err != nil {
			return Certificate{}, err
		}
		f.certify(p, penalty)
		iterations += f.c.Iterations
		if best == nil || f.c.Gap <= best.c.Gap {
			best = f
		}
		if f.c.Gap <= goal {
			break
		}
		if f.slope >= 0 {
			low = f
		} else {
			high = f
		}
		switch {
		case low == nil:
			lambda /= 4
		case high == nil:
			lambda *= 4
		default:
			lambda = math.Sqrt(low.lambda) * math.Sqrt(high.lambda)
		}
		if low != nil && high != nil && !(lambda > low.lambda && lambda < high.lambda) || lambda == 0 ||
			math.IsInf(lambda, 0) {
			break
		}
	}
	return best.end(state, goal, iterations), nil
}

// end leaves the function in state.
func (f *onPath) end(state []float64, goal float64, iterations int) Certificate {
	copy(state, f.state)
	f.c.Iterations = iterations
	f.c.Converged = f.c.Gap <= goal && math.Abs(f.c.BiasSlope) <= math.Sqrt(2*f.lambda*goal)*(1+1e-6)
	f.c.GradNorm = math.Abs(f.slope)
	return f.c
}
