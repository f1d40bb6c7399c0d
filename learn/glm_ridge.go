package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/trace"
)

// ridgeGLM is the generalised linear model on given features,
//
//	minimise over β, b   P = Σ wᵢ ℓ(yᵢ, Σⱼ βⱼXⱼᵢ + b) + (λ/2)‖β‖²,
//
// ℓ being ½(y - f)² or log(1 + e^{-yf}), by Newton's method with halving on the normal equations. One
// step solves least squares. The dual point θ = -w∘ℓ' gives the gap
// P - (-Σ wℓ*(-θ/w) - ‖Xθ‖²/2λ); Σθ = 0 by the best b.
type ridgeGLM struct {
	columns   linalg.Matrix[float64] // row j is feature j at all points
	target    []float64              // values, or ±1
	weight    []float64
	logistic  bool
	intercept bool
	lambda    float64
	threads   int
	trace     trace.Func

	from     []float64 // β to begin with; nil means 0
	fromBias float64
}

type glmSolution struct {
	beta       []float64
	bias       float64
	value, gap float64
	steps      int
	converged  bool
}

func (p *ridgeGLM) loss(y, f float64) (value, slope, curve float64) {
	if p.logistic {
		q := logistic(-y * f)
		return softplus(-y * f), -y * q, q * (1 - q)
	}
	return (f - y) * (f - y) / 2, f - y, 1
}

func (p *ridgeGLM) solve(ctx context.Context, tol float64, limit int) (*glmSolution, error) {
	m, n := p.columns.Rows, len(p.target)
	size := m
	if p.intercept {
		size++
	}
	s := &glmSolution{beta: make([]float64, m)}
	score, next := make([]float64, n), make([]float64, n)
	slope, curve := make([]float64, n), make([]float64, n)
	scaled := linalg.New[float64](m, n)
	value := func(score []float64, beta []float64) float64 {
		v := p.lambda / 2 * squaredNorm(beta)
		for i, f := range score {
			l, _, _ := p.loss(p.target[i], f)
			v += p.weight[i] * l
		}
		return v
	}
	s.value = value(score, s.beta)
	scale := math.Max(s.value, 1e-300)
	if p.from != nil {
		copy(s.beta, p.from)
		s.bias = p.fromBias
		for i := range score {
			score[i] = s.bias
		}
		linalg.Gemv(p.threads, linalg.Trans, 1, p.columns, s.beta, 1, score)
		s.value = value(score, s.beta)
	}
	for {
		for i, f := range score {
			_, g, c := p.loss(p.target[i], f)
			slope[i], curve[i] = p.weight[i]*g, p.weight[i]*c
		}
		s.gap = p.gap(s, slope)
		p.trace.Report(trace.Step{Iteration: s.steps, Objective: s.value, Residual: s.gap})
		if s.gap <= tol*scale {
			s.converged = true
			return s, nil
		}
		if s.steps >= limit {
			return s, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rowsUntil(ctx, p.threads, m, 16, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				src, dst := p.columns.Row(j), scaled.Row(j)
				for i, c := range curve {
					dst[i] = c * src[i]
				}
			}
		})
		h, step := linalg.New[float64](size, size), make([]float64, size)
		if err := linalg.GemmContext(ctx, p.threads, linalg.NoTrans, linalg.Trans, 1, scaled, p.columns, 0, h.Slice(0, m, 0, m)); err != nil {
			return nil, err
		}
		for j := range m {
			h.Row(j)[j] += p.lambda
			step[j] = -simd.Dot(p.columns.Row(j), slope) - p.lambda*s.beta[j]
			if p.intercept {
				v := sumOf(scaled.Row(j))
				h.Set(j, m, v)
				h.Set(m, j, v)
			}
		}
		if p.intercept {
			c := sumOf(curve)
			h.Set(m, m, c+1e-14*math.Max(c, sumOf(p.weight)))
			step[m] = -sumOf(slope)
		}
		grad := append([]float64(nil), step...)
		chol, err := linalg.NewCholeskyContext(ctx, p.threads, h)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("normal equations: %w; raise Lambda", err)
		}
		if err := chol.SolveContext(ctx, p.threads, columnOf(step)); err != nil {
			return nil, err
		}
		decrease := simd.Dot(grad, step)
		change := make([]float64, n)
		linalg.Gemv(p.threads, linalg.Trans, 1, p.columns, step[:m], 0, change)
		if p.intercept {
			for i := range change {
				change[i] += step[m]
			}
		}
		t, beta := 1.0, make([]float64, m)
		for ; t > 1e-12; t /= 2 {
			for i := range next {
				next[i] = score[i] + t*change[i]
			}
			for j := range beta {
				beta[j] = s.beta[j] + t*step[j]
			}
			if v := value(next, beta); v <= s.value-1e-4*t*decrease {
				s.value = v
				break
			}
		}
		s.steps++
		if t <= 1e-12 { // rounding leaves nothing to gain
			return s, nil
		}
		copy(s.beta, beta)
		copy(score, next)
		if p.intercept {
			s.bias += t * step[m]
		}
	}
}

// gap is the duality gap at the slopes of the current point. A remainder of Σθ
// is taken off the side that has too much, which keeps θ in the domain.
func (p *ridgeGLM) gap(s *glmSolution, slope []float64) float64 {
	theta := make([]float64, len(slope))
	plus, minus, total := 0.0, 0.0, sumOf(p.weight)
	for i, g := range slope {
		theta[i] = -g
		plus, minus = plus+math.Max(-g, 0), minus+math.Max(g, 0)
	}
	if p.intercept {
		for i := range theta {
			switch {
			case !p.logistic:
				theta[i] -= p.weight[i] * (plus - minus) / total
			case theta[i] > 0 && plus > minus:
				theta[i] *= minus / plus
			case theta[i] < 0 && minus > plus:
				theta[i] *= plus / minus
			}
		}
	}
	image := make([]float64, p.columns.Rows)
	linalg.Gemv(p.threads, linalg.NoTrans, 1, p.columns, theta, 0, image)
	dual := -squaredNorm(image) / (2 * p.lambda)
	for i, v := range theta {
		w := p.weight[i]
		if w == 0 {
			continue
		}
		if !p.logistic {
			dual += v*p.target[i] - v*v/(2*w)
			continue
		}
		if u := v * p.target[i] / w; u > 0 && u < 1 {
			dual -= w * (u*math.Log(u) + (1-u)*math.Log1p(-u))
		}
	}
	return math.Max(s.value-dual, 0)
}
