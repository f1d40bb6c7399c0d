package rkhs

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// A loss with kinks (hinge, absolute) has no gradient to go to 0. The proximal method of
// multipliers (Rockafellar 1976) solves for it a row of smooth problems with Newton's method: ℓ is
// replaced by its envelope around a dual point s,
//
//	Mᵢ(z) = min over u of ℓ(yᵢ, u) + sᵢ(z - u) + (z - u)²/(2σ),  M'ᵢ(z) = (z + σsᵢ - u)/σ,
//
// s becomes M', which is a derivative of ℓ at u, and so on. With α = -s/(λn) the duality gap is a
// sum of terms ≥ 0,
//
//	J(f) - J(f*) ≤ (1/n)·Σ ℓ(yᵢ, zᵢ + b) + ℓ*(yᵢ, sᵢ) - sᵢ(zᵢ + b),  ℓ*(y, s) = su - ℓ(y, u),
//
// for the bias at hand, and is 0 at the optimum.
type envelope struct {
	loss  func(i int, z float64) (value, slope float64) // of point i, its weight included
	sigma float64
	s     []float64 // the dual point
}

// at is Mᵢ(z), its derivative, and u.
func (e *envelope) at(i int, z float64) (value, slope, u float64) {
	u, slope = e.nearest(i, z+e.sigma*e.s[i])
	l, _ := e.loss(i, u)
	return l + e.sigma*(slope*slope-e.s[i]*e.s[i])/2, slope, u
}

// nearest is the u with least ℓ(y, u) + (u - v)²/(2σ), where ℓ'(u) + (u - v)/σ changes its sign:
// between v and a step from it along -ℓ'. The slope (v - u)/σ is kept between the derivatives on
// both sides of u, which it is but for rounding: where v is 1e16 times σ the difference is 0, and a
// dual point of zeros would be certified.
func (e *envelope) nearest(i int, v float64) (u, slope float64) {
	_, d := e.loss(i, v)
	end := v - e.sigma*d
	_, there := e.loss(i, end)
	if there == d {
		return end, d
	}
	low, high, least, most := v, end, d, there
	if end < v {
		low, high, least, most = end, v, there, d
	}
	for {
		u := low + (high-low)/2
		if u <= low || u >= high {
			return u, min(max((v-u)/e.sigma, least), most)
		}
		_, slope := e.loss(i, u)
		switch g := slope + (u-v)/e.sigma; {
		case g > 0:
			high, most = u, slope
		case g < 0:
			low, least = u, slope
		default:
			return u, slope
		}
	}
}

// bend is M'ᵢ by a difference: between 0, where ℓ is linear, and 1/σ at a kink. It steers Newton's
// method only.
func (e *envelope) bend(i int, z float64) float64 {
	h := 1e-4 * e.sigma
	_, up, _ := e.at(i, z+h)
	_, down, _ := e.at(i, z-h)
	return min(max((up-down)/(2*h), 0), 1/e.sigma)
}

// The widths of envelopes, in units of what ℓ changes over: the first, the least, and the least
// where the gap hardly falls; and the most of them.
const (
	firstWidth, leastWidth, narrowest = 0.1, 1e-3, 1e-7
	mostEnvelopes                     = 200
)

// throughKinks goes on from a state where a method for smooth losses stopped. It leaves the best α
// and b found in state.
func (p *regularised) throughKinks(
	ctx context.Context, state []float64, goal float64, s solve.Settings, c *Certificate,
) error {
	n := p.n()
	e := &envelope{loss: p.point, s: make([]float64, n), sigma: firstWidth * spread(p.y)}
	smooth := *p
	smooth.point = func(i int, z float64) (float64, float64) { v, d, _ := e.at(i, z); return v, d }
	smooth.second = e.bend
	least := leastWidth * spread(p.y)
	// the worse of the gap and the slope by the bias, in units of their goals: a gap of 0 far from
	// the best bias is no news
	best := math.Inf(1)
	last := best
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
		if off := max(gap/goal, math.Abs(slope)/slopeTol); off < best {
			best = off
			copy(state, at)
			c.Gap, c.BiasSlope = gap, slope
			if c.Converged = off <= 1; c.Converged {
				break
			}
		}
		if gap > 0.8*last && least > narrowest*spread(p.y) { // the gap falls by σ/(σ + ‖K‖/(λn)) each time
			least /= 3
		}
		last = gap
		e.sigma = max(e.sigma/3, least)
	}
	grad := make([]float64, len(state))
	c.Objective = p.Eval(state, grad)
	c.GradNorm = math.Sqrt(max(0, dot(grad[:n], grad[n:2*n])))
	return nil
}

// dual moves the dual point to the derivatives of the envelopes at a state, and the state to the
// function of the dual point. It returns the duality gap there and the derivative by the bias.
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
	for i := range p.y {
		z := state[n+i] + b
		here, _ := e.loss(i, z)
		there, _ := e.loss(i, u[i])
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
