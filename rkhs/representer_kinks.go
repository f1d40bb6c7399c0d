package rkhs

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// A loss with kinks (hinge, absolute) has no gradient to go to 0. The proximal method of multipliers (Rockafellar 1976) solves for it
// a row of smooth problems with Newton's method: ℓ is replaced by its envelope around a dual point s,
//
//	Mᵢ(z) = min over u of ℓ(yᵢ, u) + sᵢ(z - u) + (z - u)²/(2σ),  M'ᵢ(z) = (z + σsᵢ - u)/σ,
//
// s becomes M', which is a derivative of ℓ at u, and so on. With α = -s/(λn) the duality gap is a sum of
// terms ≥ 0,
//
//	J(f) - J(f*) ≤ (1/n)·Σ ℓ(yᵢ, zᵢ + b) + ℓ*(yᵢ, sᵢ) - sᵢ(zᵢ + b),  ℓ*(y, s) = su - ℓ(y, u),
//
// for the bias at hand, and is 0 at the optimum.
type envelope struct {
	loss  Loss
	y     []float64
	sigma float64
	s     []float64 // the dual point
}

// at is Mᵢ(z), its derivative, and u.
func (e *envelope) at(i int, z float64) (value, slope, u float64) {
	v := z + e.sigma*e.s[i]
	u = e.nearest(i, v)
	l, _ := e.loss.Value(e.y[i], u)
	slope = (v - u) / e.sigma
	return l + e.sigma*(slope*slope-e.s[i]*e.s[i])/2, slope, u
}

// nearest is the u with least ℓ(y, u) + (u - v)²/(2σ), where ℓ'(u) + (u - v)/σ changes its sign: between v and a
// step from it along -ℓ'.
func (e *envelope) nearest(i int, v float64) float64 {
	_, d := e.loss.Value(e.y[i], v)
	end := v - e.sigma*d
	if _, there := e.loss.Value(e.y[i], end); there == d {
		return end
	}
	low, high := min(v, end), max(v, end)
	for {
		u := low + (high-low)/2
		if u <= low || u >= high {
			return u
		}
		_, slope := e.loss.Value(e.y[i], u)
		switch g := slope + (u-v)/e.sigma; {
		case g > 0:
			high = u
		case g < 0:
			low = u
		default:
			return u
		}
	}
}

// bend is M'ᵢ by a difference: between 0, where ℓ is linear, and 1/σ at a kink. It steers Newton's method only.
func (e *envelope) bend(i int, z float64) float64 {
	h := 1e-4 * e.sigma
	_, up, _ := e.at(i, z+h)
	_, down, _ := e.at(i, z-h)
	return min(max((up-down)/(2*h), 0), 1/e.sigma)
}

// The widths of envelopes, in units of what ℓ changes over, and the most of them.
const (
	firstWidth, leastWidth = 0.1, 1e-3
	mostEnvelopes          = 200
)

// throughKinks goes on from a state where a method for smooth losses stopped. It leaves the best α and b found in state.
func (p *regularised) throughKinks(ctx context.Context, loss Loss, state []float64, goal float64, s solve.Settings, c *Certificate) error {
	n := p.n()
	e := &envelope{loss: loss, y: p.y, s: make([]float64, n), sigma: firstWidth * spread(p.y)}
	smooth := *p
	smooth.point = func(i int, z float64) (float64, float64) { v, d, _ := e.at(i, z); return v, d }
	smooth.second = e.bend
	least := leastWidth * spread(p.y)
	best := math.Inf(1)
	at := append([]float64(nil), state...)
	for i := range e.s {
		e.s[i] = -p.lambda * float64(n) * at[i]
	}
	slopeTol := s.AbsTol
	s.AbsTol = 0.1 * p.lambda * goal // f moves by ‖∇‖/λ, and at a kink the gap with it
	for range mostEnvelopes {
		m, err := solve.Newton(ctx, curved{&smooth}, at, s)
		if err != nil {
			return err
		}
		c.Iterations += m.Iterations
		gap, slope := p.dual(e, at)
		if settled := math.Abs(slope) <= slopeTol; gap < best || settled && gap <= goal {
			best = gap
			copy(state, at)
			c.Gap, c.BiasSlope = gap, slope
			if c.Converged = gap <= goal && settled; c.Converged {
				break
			}
		}
		e.sigma = max(e.sigma/3, least)
	}
	grad := make([]float64, len(state))
	c.Objective = p.Eval(state, grad)
	c.GradNorm = math.Sqrt(max(0, dot(grad[:n], grad[n:2*n])))
	return nil
}

// dual moves the dual point to the derivatives of the envelopes at a state, and the state to the function of the dual point. It
// returns the duality gap there and the derivative by the bias.
func (p *regularised) dual(e *envelope, state []float64) (gap, slope float64) {
	n, b := p.n(), state[2*p.n()]
	u, next := make([]float64, n), make([]float64, n)
	for i := range u {
		_, next[i], u[i] = e.at(i, state[n+i]+b)
	}
	for i, v := range next {
		e.s[i] = v
		state[i] = -v / (p.lambda * float64(n))
		slope += v / float64(n)
	}
	p.image(state)
	for i, y := range p.y {
		z := state[n+i] + b
		here, _ := e.loss.Value(y, z)
		there, _ := e.loss.Value(y, u[i])
		gap += (here + e.s[i]*(u[i]-z) - there) / float64(n)
	}
	if !p.bias {
		slope = 0
	}
	return max(gap, 0), slope
}

// spread is the size of the targets, 1 where they are all 0.
func spread(y []float64) float64 {
	most := 0.0
	for _, v := range y {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return 1
	}
	return most
}
