package fitting

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
)

// RidgeGLM is the generalised linear model on given features,
//
//	minimise over β, b   P = Σ wᵢ ℓ(yᵢ, Σⱼ βⱼXⱼᵢ + b) + (λ/2)‖β‖²,
//
// ℓ being ½(y - f)² or log(1 + e^{-yf}), by Newton's method with halving on the normal equations.
// One step solves least squares. The dual point θ = -w∘ℓ' gives the gap P - (-Σ wℓ*(-θ/w) -
// ‖Xθ‖²/2λ); Σθ = 0 by the best b.
type RidgeGLM struct {
	Columns   linalg.Matrix[float64] // row j is feature j at all points
	Target    []float64              // values, or ±1
	Weight    []float64
	Logistic  bool
	Intercept bool
	Lambda    float64
	Threads   int
	Trace     trace.Func

	From     []float64 // β to begin with; nil means 0
	FromBias float64
}

// GLMSolution is the optimum of a RidgeGLM, with its duality gap.
type GLMSolution struct {
	Beta       []float64
	Bias       float64
	Value, Gap float64
	Steps      int
	Converged  bool
}

func (p *RidgeGLM) loss(y, f float64) (value, slope, curve float64) {
	if p.Logistic {
		q := sigmoid.Of(-y * f)
		return sigmoid.Softplus(-y * f), -y * q, q * (1 - q)
	}
	return (f - y) * (f - y) / 2, f - y, 1
}

// value is P at scores and coefficients.
func (p *RidgeGLM) value(score, beta []float64) float64 {
	v := p.Lambda / 2 * SquaredNorm(beta)
	for i, f := range score {
		l, _, _ := p.loss(p.Target[i], f)
		v += p.Weight[i] * l
	}
	return v
}

// Solve stops when the gap is below tol times the objective at 0, or after limit steps.
func (p *RidgeGLM) Solve(ctx context.Context, tol float64, limit int) (*GLMSolution, error) {
	m, n := p.Columns.Rows, len(p.Target)
	s := &GLMSolution{Beta: make([]float64, m)}
	score, slope, curve := make([]float64, n), make([]float64, n), make([]float64, n)
	scaled := linalg.New[float64](m, n)
	s.Value = p.value(score, s.Beta)
	scale := math.Max(s.Value, 1e-300)
	if p.From != nil {
		copy(s.Beta, p.From)
		s.Bias = p.FromBias
		for i := range score {
			score[i] = s.Bias
		}
		linalg.Gemv(p.Threads, linalg.Trans, 1, p.Columns, s.Beta, 1, score)
		s.Value = p.value(score, s.Beta)
	}
	for {
		for i, f := range score {
			_, g, c := p.loss(p.Target[i], f)
			slope[i], curve[i] = p.Weight[i]*g, p.Weight[i]*c
		}
		s.Gap = p.gap(s, slope)
		p.Trace.Report(trace.Step{Iteration: s.Steps, Objective: s.Value, Residual: s.Gap})
		if s.Gap <= tol*scale {
			s.Converged = true
			return s, nil
		}
		if s.Steps >= limit {
			return s, nil
		}
		step, decrease, err := p.newton(ctx, s.Beta, slope, curve, scaled)
		if err != nil {
			return nil, err
		}
		s.Steps++
		if !p.advance(s, score, step, decrease) { // rounding leaves nothing to gain
			return s, nil
		}
	}
}

// newton is the step -H⁻¹g at β, that of the bias last, and how fast P falls along it, gᵀH⁻¹g. The
// curves of the loss times the columns are left in scaled.
func (p *RidgeGLM) newton(
	ctx context.Context, beta, slope, curve []float64, scaled linalg.Matrix[float64],
) (step []float64, decrease float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	m := p.Columns.Rows
	size := m
	if p.Intercept {
		size++
	}
	Rows(ctx, p.Threads, m, 16, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			src, dst := p.Columns.Row(j), scaled.Row(j)
			for i, c := range curve {
				dst[i] = c * src[i]
			}
		}
	})
	h := linalg.New[float64](size, size)
	step = make([]float64, size)
	if err := linalg.GemmContext(ctx, p.Threads, linalg.NoTrans, linalg.Trans, 1, scaled, p.Columns, 0,
		h.Slice(0, m, 0, m)); err != nil {
		return nil, 0, err
	}
	for j := range m {
		h.Row(j)[j] += p.Lambda
		step[j] = -simd.Dot(p.Columns.Row(j), slope) - p.Lambda*beta[j]
		if p.Intercept {
			v := Sum(scaled.Row(j))
			h.Set(j, m, v)
			h.Set(m, j, v)
		}
	}
	if p.Intercept {
		c := Sum(curve)
		h.Set(m, m, c+1e-14*math.Max(c, Sum(p.Weight)))
		step[m] = -Sum(slope)
	}
	downhill := append([]float64(nil), step...)
	chol, err := linalg.NewCholeskyContext(ctx, p.Threads, h)
	if err != nil {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		return nil, 0, fmt.Errorf("normal equations: %w; raise lambda", err)
	}
	if err := chol.SolveContext(ctx, p.Threads, Column(step)); err != nil {
		return nil, 0, err
	}
	return step, simd.Dot(downhill, step), nil
}

// advance goes along a step, halved until P falls as Armijo's rule asks. It says whether there was
// anything to gain.
func (p *RidgeGLM) advance(s *GLMSolution, score, step []float64, decrease float64) bool {
	m := p.Columns.Rows
	change, next, beta := make([]float64, len(score)), make([]float64, len(score)), make([]float64, m)
	linalg.Gemv(p.Threads, linalg.Trans, 1, p.Columns, step[:m], 0, change)
	if p.Intercept {
		for i := range change {
			change[i] += step[m]
		}
	}
	for t := 1.0; t > 1e-12; t /= 2 {
		for i := range next {
			next[i] = score[i] + t*change[i]
		}
		for j := range beta {
			beta[j] = s.Beta[j] + t*step[j]
		}
		v := p.value(next, beta)
		if !(v <= s.Value-1e-4*t*decrease) {
			continue
		}
		s.Value = v
		copy(s.Beta, beta)
		copy(score, next)
		if p.Intercept {
			s.Bias += t * step[m]
		}
		return true
	}
	return false
}

// gap is the duality gap at the slopes of the current point. A remainder of Σθ
// is taken off the side that has too much, which keeps θ in the domain.
func (p *RidgeGLM) gap(s *GLMSolution, slope []float64) float64 {
	theta := make([]float64, len(slope))
	plus, minus, total := 0.0, 0.0, Sum(p.Weight)
	for i, g := range slope {
		theta[i] = -g
		plus, minus = plus+math.Max(-g, 0), minus+math.Max(g, 0)
	}
	if p.Intercept {
		for i := range theta {
			switch {
			case !p.Logistic:
				theta[i] -= p.Weight[i] * (plus - minus) / total
			case theta[i] > 0 && plus > minus:
				theta[i] *= minus / plus
			case theta[i] < 0 && minus > plus:
				theta[i] *= plus / minus
			}
		}
	}
	image := make([]float64, p.Columns.Rows)
	linalg.Gemv(p.Threads, linalg.NoTrans, 1, p.Columns, theta, 0, image)
	dual := -SquaredNorm(image) / (2 * p.Lambda)
	for i, v := range theta {
		w := p.Weight[i]
		if w == 0 {
			continue
		}
		if !p.Logistic {
			dual += v*p.Target[i] - v*v/(2*w)
			continue
		}
		if u := v * p.Target[i] / w; u > 0 && u < 1 {
			dual -= w * (u*math.Log(u) + (1-u)*math.Log1p(-u))
		}
	}
	return math.Max(s.Value-dual, 0)
}

// ObjectiveAtZero is the loss of f = 0, by which gaps are measured: log 2 for a point of a class,
// ½y² for a value.
func ObjectiveAtZero(target, weight []float64, classes bool) float64 {
	one := 0.0
	for i, y := range target {
		if classes {
			one += weight[i] * math.Ln2
		} else {
			one += weight[i] * y * y / 2
		}
	}
	return math.Max(one, 1e-300)
}
