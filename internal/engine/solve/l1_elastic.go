package solve

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/trace"
)

// SolveElastic is Solve with both penalties, for features that are the rows of a symmetric positive
// semi-definite K:
//
//	minimise over β, b   P = Σ wᵢ log(1 + e^{-yᵢ((Kβ)ᵢ + b)}) + (λ₂/2)βᵀKβ + λ‖β‖₁.
//
// Newton steps minimise the quadratic model, with the Hessian KDK + λ₂K written out, plus ‖·‖₁ by
// coordinate descent, and are shortened until P has decreased enough (Lee, Sun and Saunders 2014).
// With θᵢ = ∂ of the loss of point i, Σθᵢ = 0 where there is a bias, and g = K(θ + λ₂β), any c ≤
// min(1, λ/‖g‖∞) gives a feasible point of the dual
//
//	D = -Σ φᵢ*(cθᵢ) - (λ₂c²/2)βᵀKβ,   φ*(θ) = w(p log p + (1-p) log(1-p)), p = -yθ/w,
//
// and P - D is the gap by which it stops.
func (p *L1Logistic) SolveElastic(
	ridge float64,
) func(ctx context.Context, lambda float64, warm *L1Solution) (*L1Solution, error) {
	return func(ctx context.Context, lambda float64, _ *L1Solution) (*L1Solution, error) {
		e := &elastic{L1Logistic: p, ridge: ridge, lambda: lambda, k: p.Columns}
		return e.solve(ctx)
	}
}

type elastic struct {
	*L1Logistic
	k             linalg.Matrix[float64]
	ridge, lambda float64
}

// elasticState is β, b and all that follows from them.
type elasticState struct {
	beta  []float64
	bias  float64
	kb    []float64 // Kβ
	theta []float64 // slopes of the losses
	curve []float64 // their curvatures
	value float64   // P
}

func (e *elastic) solve(ctx context.Context) (*L1Solution, error) {
	tol, limit, start := e.Tol, e.MaxIter, time.Now()
	if tol == 0 {
		tol = 1e-6
	}
	if limit == 0 {
		limit = 500
	}
	n := len(e.Sign)
	s := &elasticState{beta: make([]float64, n), kb: make([]float64, n), theta: make([]float64, n),
		curve: make([]float64, n)}
	e.settle(s)
	out := &L1Solution{Lambda: e.lambda}
	for {
		g := e.gradient(s)
		out.Gap = s.value - e.dual(s, g)
		out.Converged = out.Gap <= tol*s.value
		e.Trace.Report(trace.Step{Iteration: out.Iterations, Objective: s.value, Residual: out.Gap,
			Elapsed: time.Since(start)})
		if out.Converged || out.Iterations >= limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step, err := e.direction(ctx, s, g)
		if err != nil {
			return nil, err
		}
		if !e.advance(s, g, step) {
			break // rounding is all that is left
		}
		out.Iterations++
	}
	out.Beta, out.Bias, out.Value = s.beta, s.bias, s.value
	return out, nil
}

// settle finds the best bias for β, so that Σθ = 0, and what follows from both.
func (e *elastic) settle(s *elasticState) {
	for range 100 {
		slope, curve := 0.0, 0.0
		s.value = 0
		for i, y := range e.Sign {
			m := y * (s.kb[i] + s.bias)
			q := 1 / (1 + math.Exp(m)) // of the other class
			s.theta[i] = -e.Weight[i] * y * q
			s.curve[i] = e.Weight[i] * q * (1 - q)
			slope += s.theta[i]
			curve += s.curve[i]
			s.value += e.Weight[i] * (math.Max(-m, 0) + math.Log1p(math.Exp(-math.Abs(m))))
		}
		if !e.Intercept || math.Abs(slope) <= 1e-13*float64(len(e.Sign)) || !(curve > 0) {
			break
		}
		s.bias -= math.Min(math.Max(slope/curve, -2), 2)
	}
	for i, b := range s.beta {
		s.value += e.ridge/2*b*s.kb[i] + e.lambda*math.Abs(b)
	}
}

// gradient is K(θ + λ₂β), that of P without ‖β‖₁.
func (e *elastic) gradient(s *elasticState) []float64 {
	v := make([]float64, len(s.beta))
	for i := range v {
		v[i] = s.theta[i] + e.ridge*s.beta[i]
	}
	g := make([]float64, len(v))
	for i := range g {
		g[i] = simd.Dot(e.k.Row(i), v)
	}
	return g
}

// dual is D at the feasible point nearest to the slopes.
func (e *elastic) dual(s *elasticState, g []float64) float64 {
	most := 0.0
	for _, v := range g {
		most = math.Max(most, math.Abs(v))
	}
	c := 1.0
	if most > e.lambda {
		c = e.lambda / most
	}
	d := 0.0
	for i, y := range e.Sign {
		if w := e.Weight[i]; w > 0 {
			q := -y * c * s.theta[i] / w
			d -= w * (xlogx(q) + xlogx(1-q))
		}
		d -= e.ridge * c * c / 2 * s.beta[i] * s.kb[i]
	}
	return d
}

func xlogx(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return v * math.Log(v)
}

// direction minimises the quadratic model plus the penalty over β, the bias following it: with b
// free the model's Hessian is that of β less what the bias takes up, KDK - (KD1)(KD1)ᵀ/(1ᵀD1).
func (e *elastic) direction(ctx context.Context, s *elasticState, g []float64) ([]float64, error) {
	n := len(g)
	root := linalg.New[float64](n, n) // D^½ K, less its weighted mean where there is a bias
	for i := range n {
		r := math.Sqrt(s.curve[i])
		row, from := root.Row(i), e.k.Row(i)
		for j := range row {
			row[j] = r * from[j]
		}
	}
	if e.Intercept {
		total, mean := 0.0, make([]float64, n)
		for i := range n {
			total += s.curve[i]
			simd.Axpy(math.Sqrt(s.curve[i]), root.Row(i), mean)
		}
		for i := range n {
			if total > 0 {
				simd.Axpy(-math.Sqrt(s.curve[i])/total, mean, root.Row(i))
			}
		}
	}
	h := linalg.New[float64](n, n)
	linalg.Gemm(e.Threads, linalg.Trans, linalg.NoTrans, 1, root, root, 0, h)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range n {
		simd.Axpy(e.ridge, e.k.Row(i), h.Row(i))
	}
	step, slope := make([]float64, n), append([]float64(nil), g...) // slope is that of the model at the step
	for sweep := range 50 {
		moved, size := 0.0, 0.0
		for j := range n {
			a := h.At(j, j)
			if !(a > 0) {
				continue
			}
			at := s.beta[j] + step[j]
			next := shrinkTo(at-slope[j]/a, e.lambda/a)
			if d := next - at; d != 0 {
				step[j] += d
				simd.Axpy(d, h.Row(j), slope)
				moved = math.Max(moved, math.Abs(d)*math.Sqrt(a))
			}
			size = math.Max(size, math.Abs(next)*math.Sqrt(a))
		}
		if moved <= 1e-9*size {
			break
		}
		if sweep%8 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.polish(ctx, s, h, step, slope), nil
}

// polish solves for the coefficients that are not 0 with the signs that they have, by a
// factorisation: coordinates alone crawl where the columns of K are nearly parallel. Where a sign
// would change, or the matrix is too flat, what the coordinates found stays.
func (e *elastic) polish(
	ctx context.Context, s *elasticState, h linalg.Matrix[float64], step, slope []float64,
) []float64 {
	var active []int
	for j, d := range step {
		if s.beta[j]+d != 0 {
			active = append(active, j)
		}
	}
	n := len(active)
	if n == 0 {
		return step
	}
	part, rest := linalg.New[float64](n, n), make([]float64, n)
	for a, j := range active {
		for b, k := range active {
			part.Set(a, b, h.At(j, k))
		}
		part.Set(a, a, part.At(a, a)*(1+1e-13))
		rest[a] = -slope[j] - math.Copysign(e.lambda, s.beta[j]+step[j])
	}
	chol, err := linalg.NewCholeskyContext(ctx, e.Threads, part)
	if err != nil {
		return step
	}
	chol.Solve(e.Threads, linalg.Matrix[float64]{Rows: n, Cols: 1, Stride: 1, Data: rest})
	out := append([]float64(nil), step...)
	for a, j := range active {
		at := s.beta[j] + step[j]
		if out[j] += rest[a]; (at+rest[a])*at <= 0 || math.IsNaN(rest[a]) {
			return step
		}
	}
	return out
}

// advance takes the step, halved until P falls by a part of what the model promised; false where no
// part of it helps.
func (e *elastic) advance(s *elasticState, g, step []float64) bool {
	promised := 0.0
	ks := make([]float64, len(step))
	for j, d := range step {
		promised += g[j]*d + e.lambda*(math.Abs(s.beta[j]+d)-math.Abs(s.beta[j]))
		ks[j] = simd.Dot(e.k.Row(j), step)
	}
	if !(promised < 0) {
		return false
	}
	for t := 1.0; t > 1e-10; t /= 2 {
		try := &elasticState{beta: append([]float64(nil), s.beta...), bias: s.bias, kb: append([]float64(nil), s.kb...),
			theta: make([]float64, len(step)), curve: make([]float64, len(step))}
		simd.Axpy(t, step, try.beta)
		simd.Axpy(t, ks, try.kb)
		e.settle(try)
		if try.value <= s.value+1e-4*t*promised {
			*s = *try
			return true
		}
	}
	return false
}
