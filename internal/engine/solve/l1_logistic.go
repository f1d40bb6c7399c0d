package solve

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/trace"
)

// L1Logistic is the ℓ1-penalised logistic regression
//
//	minimise over β, b   P = Σ wᵢ log(1 + e^{-yᵢ(Σⱼ βⱼXⱼᵢ + b)}) + λ‖β‖₁.
//
// Each Newton step minimises the quadratic model plus the penalty by coordinate
// descent and signSearch, with exact zeros, and is shortened until P has decreased enough
// (Yuan, Ho and Lin 2012). Along a path of λ, features are left out by the sequential strong
// rule (Tibshirani et al. 2012) and let in again where they violate the optimality
// conditions. It stops by the duality gap.
type L1Logistic struct {
	Columns   linalg.Matrix[float64] // row j is feature j at all n points
	Sign      []float64              // yᵢ = ±1
	Weight    []float64              // wᵢ ≥ 0
	Intercept bool                   // b is fitted; else it is 0
	Tol       float64                // duality gap, relative to P; 0 means 1e-6
	MaxIter   int                    // Newton steps for each λ; 0 means 500
	Threads   int
	Trace     trace.Func
}

// L1Solution is a minimiser with its certificate.
type L1Solution struct {
	Lambda     float64
	Beta       []float64
	Bias       float64
	Value      float64 // P
	Gap        float64 // P minus a dual value: how far P can be from its minimum
	Iterations int
	Converged  bool

	score       []float64
	correlation []float64
}

// NonZero counts the features in use.
func (s *L1Solution) NonZero() int {
	n := 0
	for _, b := range s.Beta {
		if b != 0 {
			n++
		}
	}
	return n
}

// LambdaMax is the least λ at which all coefficients are 0.
func (p *L1Logistic) LambdaMax() float64 {
	s := p.zero()
	p.refresh(s, math.Inf(1))
	top := 0.0
	for _, c := range s.correlation {
		top = math.Max(top, math.Abs(c))
	}
	return top
}

func (p *L1Logistic) zero() *L1Solution {
	return &L1Solution{
		Lambda: math.Inf(1), Beta: make([]float64, p.Columns.Rows),
		score: make([]float64, len(p.Sign)), correlation: make([]float64, p.Columns.Rows),
	}
}

// Solve minimises at λ, from warm when it is not nil: a solution at a larger λ.
func (p *L1Logistic) Solve(ctx context.Context, lambda float64, warm *L1Solution) (*L1Solution, error) {
	tol, limit, start := p.Tol, p.MaxIter, time.Now()
	if tol == 0 {
		tol = 1e-6
	}
	if limit == 0 {
		limit = 500
	}
	s := p.zero()
	before := lambda
	if warm != nil {
		copy(s.Beta, warm.Beta)
		copy(s.score, warm.score)
		s.Bias, before = warm.Bias, warm.Lambda
	}
	s.Lambda = lambda
	p.refresh(s, lambda)
	in := make([]bool, len(s.Beta))
	var active []int
	admit := func(threshold float64) (added bool) {
		for j, c := range s.correlation {
			if !in[j] && (s.Beta[j] != 0 || math.Abs(c) >= threshold) {
				in[j], added = true, true
				active = append(active, j)
			}
		}
		return added
	}
	if warm != nil && before < math.Inf(1) {
		admit(2*lambda - before) // the strong rule
	} else {
		admit(lambda)
	}
	inner := 1e-2
	for s.Iterations < limit {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		moved := p.newtonStep(ctx, s, active, inner)
		s.Iterations++
		p.refresh(s, lambda)
		p.Trace.Report(trace.Step{Iteration: s.Iterations, Objective: s.Value, Residual: s.Gap, Elapsed: time.Since(start)})
		added := admit(lambda)
		if s.Gap <= tol*math.Abs(s.Value) {
			s.Converged = true
			break
		}
		if !moved && !added {
			if inner < 1e-14 {
				break // rounding leaves nothing to gain
			}
			inner *= 1e-2
		}
		inner = math.Max(inner*0.3, 1e-15)
	}
	return s, nil
}

// slack is σ(-yη), how far a point is from being certain.
func slack(margin float64) float64 {
	if margin > 0 {
		e := math.Exp(-margin)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(margin))
}

func softLoss(margin float64) float64 {
	if margin > 0 {
		return math.Log1p(math.Exp(-margin))
	}
	return math.Log1p(math.Exp(margin)) - margin
}

// refresh finds the best bias for the coefficients, then the correlations of
// the features with the gradient, P and the gap. The dual point is the gradient
// θᵢ = wᵢyᵢσ(-yᵢηᵢ), scaled until max|Xθ| ≤ λ; Σθ = 0 by the best bias. Its value
// is Σ wᵢH(θᵢyᵢ/wᵢ), H the binary entropy.
func (p *L1Logistic) refresh(s *L1Solution, lambda float64) {
	if p.Intercept {
		p.centre(s)
	}
	n := len(p.Sign)
	theta, q := make([]float64, n), make([]float64, n)
	s.Value = 0
	for i, y := range p.Sign {
		m := y * s.score[i]
		q[i] = slack(m)
		theta[i] = p.Weight[i] * y * q[i]
		s.Value += p.Weight[i] * softLoss(m)
	}
	linalg.Gemv(p.Threads, linalg.NoTrans, 1, p.Columns, theta, 0, s.correlation)
	top := 0.0
	for j, c := range s.correlation {
		top = math.Max(top, math.Abs(c))
		if b := s.Beta[j]; b != 0 {
			s.Value += lambda * math.Abs(b)
		}
	}
	shrink := 1.0
	if top > lambda {
		shrink = lambda / top
	}
	dual := 0.0
	for i, w := range p.Weight {
		u := shrink * q[i]
		if u > 0 && u < 1 {
			dual -= w * (u*math.Log(u) + (1-u)*math.Log1p(-u))
		}
	}
	s.Gap = math.Max(s.Value-dual, 0)
}

// centre moves the bias to where Σθ = 0, by Newton's method kept inside a
// bracket.
func (p *L1Logistic) centre(s *L1Solution) {
	slope := func(d float64) (g, h float64) {
		for i, y := range p.Sign {
			q := slack(y * (s.score[i] + d))
			g -= p.Weight[i] * y * q
			h += p.Weight[i] * q * (1 - q)
		}
		return g, h
	}
	d, lo, hi := 0.0, math.Inf(-1), math.Inf(1)
	for range 100 {
		g, h := slope(d)
		if g == 0 {
			break
		}
		if g > 0 {
			hi = d
		} else {
			lo = d
		}
		next := d - g/h
		if !(next > lo && next < hi) || math.IsNaN(next) {
			switch {
			case math.IsInf(lo, 0):
				next = d - 1
			case math.IsInf(hi, 0):
				next = d + 1
			default:
				next = (lo + hi) / 2
			}
		}
		if math.Abs(next-d) <= 1e-15*(1+math.Abs(d)) {
			break
		}
		d = next
	}
	s.Bias += d
	for i := range s.score {
		s.score[i] += d
	}
}

// newtonStep minimises the quadratic model over the active features until no
// coordinate would improve it by more than inner of the first sweep, and steps
// there. It says whether it moved.
func (p *L1Logistic) newtonStep(ctx context.Context, s *L1Solution, active []int, inner float64) bool {
	q := p.modelAt(s, active)
	q.minimise(ctx, inner)
	change, slope := q.direction()
	return slope < 0 && q.take(change, slope)
}

// shrinkTo is the soft threshold sign(v)·max(|v| - t, 0).
func shrinkTo(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}
