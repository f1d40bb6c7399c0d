package rkhs

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Loss is ℓ(y, z), convex in the prediction z.
type Loss interface {
	// Value returns ℓ(y, z) and ∂ℓ/∂z; at a kink, any number between the derivatives on both sides.
	Value(y, z float64) (value, derivative float64)
}

// TwiceLoss is a Loss with a second derivative, which makes the solver a
// Newton method.
type TwiceLoss interface {
	Loss
	// Second returns ∂²ℓ/∂z² ≥ 0.
	Second(y, z float64) float64
}

// LossFunc makes a Loss of a function.
type LossFunc func(y, z float64) (value, derivative float64)

// Value calls f.
func (f LossFunc) Value(y, z float64) (float64, float64) { return f(y, z) }

// Representer finds the f that minimises
//
//	J(f) = (1/n)·Σ wᵢ·ℓ(yᵢ, f(xᵢ) + b) + (λ/2)·‖f‖²
//
// over all of H, and over b too when WithBias. By the representer theorem f = Σ αᵢ k(xᵢ, ·). The
// minimisation runs in the geometry of H: the gradient of J is Σ rᵢ k(xᵢ, ·) with rᵢ = ℓ'ᵢ/n + λαᵢ,
// inner products are aᵀKb, and one product with K serves an iteration. With second derivatives it
// is truncated Newton, else L-BFGS; where that comes to a stop at kinks of the loss, a row of
// smooth problems leads to the optimum. The theorem asks of the penalty only that it grows with
// ‖f‖: a Penalty takes the place of (λ/2)·‖f‖².
type Representer[T any] struct {
	Kernel   kernel.Kernel[T]
	Loss     Loss
	Lambda   float64
	Penalty  Penalty // r(‖f‖); Lambda is then 0. nil means (λ/2)·‖f‖²
	WithBias bool
	Weights  []float64 // wᵢ ≥ 0; nil means 1
	// stop when the certified relative gap is below; 0 means 1e-8, with a ConvexPenalty 1e-6, with
	// any other Penalty 1e-3
	Tol     float64
	MaxIter int // 0 means 1000
	Gram    gram.Options
	Trace   trace.Func
}

// Certificate says how good a solution is, by a bound that holds for every
// convex loss: J is λ-strongly convex in f, hence
//
//	J(f) - J(f*) ≤ ‖∇J(f)‖²/(2λ),
//
// or, at kinks of the loss, by the duality gap.
// A bias is not strongly convex; its derivative is reported beside.
type Certificate struct {
	Objective  float64 // J(f)
	GradNorm   float64 // ‖∇J(f)‖ in H
	Gap        float64 // the bound on J(f) - J(f*), for the bias at hand
	BiasSlope  float64 // ∂J/∂b
	Iterations int
	Converged  bool
}

// Solve returns the minimiser on the sample x with targets y.
func (r Representer[T]) Solve(ctx context.Context, x data.Points[T], y []float64) (*Func[T], Certificate, error) {
	if err := r.check(x, y); err != nil {
		return nil, Certificate{}, err
	}
	g, err := gram.New(ctx, r.Kernel, x, r.Gram)
	if err != nil {
		return nil, Certificate{}, err
	}
	alpha, bias, c, err := r.solveGram(ctx, g, y)
	if err != nil {
		return nil, c, err
	}
	f := &Func[T]{Kernel: r.Kernel, Centers: x, Coef: mat.NewDense(len(alpha), 1, alpha)}
	if r.WithBias {
		f.Bias = []float64{bias}
	}
	return f, c, nil
}

func (r Representer[T]) check(x data.Points[T], y []float64) error {
	if x == nil || x.Len() == 0 {
		return fault.Errorf("rkhs", "representer: no points")
	}
	if x.Len() != len(y) {
		return fault.Errorf("rkhs", "representer: %d points but %d targets", x.Len(), len(y))
	}
	if r.Loss == nil {
		return fault.Errorf("rkhs", "representer: no loss")
	}
	if r.Penalty != nil {
		if err := r.checkPenalty(); err != nil {
			return err
		}
	} else if !(r.Lambda > 0) || math.IsInf(r.Lambda, 0) {
		return fault.Errorf("rkhs", "representer: lambda is %g, want a finite number > 0", r.Lambda)
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("rkhs", "representer: target %d is %g", i, v)
		}
	}
	if r.Weights != nil && len(r.Weights) != len(y) {
		return fault.Errorf("rkhs", "representer: %d weights for %d points", len(r.Weights), len(y))
	}
	for i, w := range r.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fault.Errorf("rkhs", "representer: weight %d is %g, want a finite number ≥ 0", i, w)
		}
	}
	return nil
}

// weight is wᵢ.
func (r Representer[T]) weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return r.Weights[i]
}

func (r Representer[T]) solveGram(
	ctx context.Context, g gram.Gram, y []float64,
) ([]float64, float64, Certificate, error) {
	n := len(y)
	p := &regularised{g: g, y: y, lambda: r.Lambda, bias: r.WithBias}
	p.point = func(i int, z float64) (float64, float64) {
		v, d := r.Loss.Value(y[i], z)
		w := r.weight(i)
		return w * v, w * d
	}
	if twice, ok := r.Loss.(TwiceLoss); ok {
		p.second = func(i int, z float64) float64 { return r.weight(i) * twice.Second(y[i], z) }
	}
	state := make([]float64, 2*n+1)
	start := p.value(state)
	if math.IsNaN(start) || math.IsInf(start, 0) {
		return nil, 0, Certificate{}, fault.Errorf("rkhs", "representer: the loss at f = 0 is %g", start)
	}
	goal := r.tol() * math.Max(math.Abs(start), 1e-12)
	var c Certificate
	var err error
	switch penalty := r.Penalty.(type) {
	case nil:
		c, _, err = r.minimise(ctx, p, state, goal)
	case ConvexPenalty:
		c, err = r.crossing(ctx, p, state, penalty, goal)
	default:
		c, err = r.wholePath(ctx, p, state, goal)
	}
	if err != nil {
		return nil, 0, c, fault.Errorf("rkhs", "representer: %w", err)
	}
	return state[:n:n], state[2*n], c, nil
}

// minimise goes from a state to the minimum of J at p.lambda, to a gap below goal. dual says that
// the gap is the duality gap, and the coefficients are those of a dual point.
func (r Representer[T]) minimise(
	ctx context.Context, p *regularised, state []float64, goal float64,
) (c Certificate, dual bool, err error) {
	n := p.n()
	// The gap is at most the goal when ‖∇J‖² ≤ 2λ·goal.
	s := solve.Settings{Tol: 1e-300, AbsTol: math.Sqrt(2 * p.lambda * goal), MaxIter: r.MaxIter, Trace: r.Trace}
	grad := make([]float64, 2*n+1)
	for range mostRestarts {
		var m solve.Minimum
		if p.second != nil {
			m, err = solve.Newton(ctx, curved{p}, state, s)
		} else {
			m, err = solve.LBFGS(ctx, p, state, s)
		}
		if err != nil {
			return c, false, err
		}
		p.image(state) // z has been carried along, and drifted: what is certified is the function itself
		c = Certificate{Objective: p.Eval(state, grad), Iterations: c.Iterations + m.Iterations}
		h := math.Max(0, dot(grad[:n], grad[n:2*n]))
		c.GradNorm, c.Gap, c.BiasSlope = math.Sqrt(h), h/(2*p.lambda), grad[2*n]
		c.Converged = math.Sqrt(h+c.BiasSlope*c.BiasSlope) <= s.AbsTol*(1+1e-6)
		if c.Converged || !m.Converged {
			break
		}
	}
	if c.Converged || p.second != nil {
		return c, false, nil
	}
	return c, true, p.throughKinks(ctx, state, goal, s, &c)
}

// How often a minimisation goes on from a minimum that it is no longer once z = Kα is computed
// afresh.
const mostRestarts = 5

// regularised is J in the coordinates [α; z; b] with z = Kα carried along, so
// that inner products and line searches need no product with K: the same
// linear combinations make z as make α.
type regularised struct {
	g      gram.Gram
	point  func(i int, z float64) (value, slope float64) // the loss of point i
	second func(i int, z float64) float64                // its second derivative; nil where there is none
	y      []float64
	lambda float64
	bias   bool
}

func (p *regularised) n() int { return len(p.y) }

// Dot is aᵀKb plus the product of the biases.
func (p *regularised) Dot(a, b []float64) float64 {
	n := p.n()
	return dot(a[:n], b[n:2*n]) + a[2*n]*b[2*n]
}

func (p *regularised) value(s []float64) float64 {
	n := p.n()
	sum := 0.0
	for i := range n {
		v, _ := p.point(i, s[n+i]+s[2*n])
		sum += v
	}
	return sum/float64(n) + 0.5*p.lambda*dot(s[:n], s[n:2*n])
}

// Eval is J with its gradient in the same coordinates.
func (p *regularised) Eval(s, grad []float64) float64 {
	n := p.n()
	sum, slope := 0.0, 0.0
	for i := range n {
		v, d := p.point(i, s[n+i]+s[2*n])
		sum += v
		slope += d
		grad[i] = d/float64(n) + p.lambda*s[i]
	}
	p.image(grad)
	grad[2*n] = 0
	if p.bias {
		grad[2*n] = slope / float64(n)
	}
	return sum/float64(n) + 0.5*p.lambda*dot(s[:n], s[n:2*n])
}

// image sets the middle part of v to K times the first.
func (p *regularised) image(v []float64) {
	n := p.n()
	p.g.MulTo(mat.NewDense(n, 1, v[n:2*n]), mat.NewDense(n, 1, v[:n]), false)
}

// Along is J on a line: z moves with its own direction, no product needed. A direction of which
// rounding has left nothing that is a function has z ≠ Kα, and along it the square of a norm can
// fall without end; J is convex, so what is below its tangent is no value of J.
func (p *regularised) Along(s, d []float64) func(t float64) (float64, float64) {
	n := p.n()
	ss, sd, dd := dot(s[:n], s[n:2*n]), dot(s[:n], d[n:2*n]), dot(d[:n], d[n:2*n])
	line := p.line(s, d, ss, sd, dd)
	start, slope := line(0)
	return func(t float64) (float64, float64) {
		value, there := line(t)
		if tangent := start + t*slope; value < tangent-1e-9*(math.Abs(start)+math.Abs(tangent)) {
			return math.NaN(), there
		}
		return value, there
	}
}

// line is t ↦ (J, J') at s + td by products of s and d.
func (p *regularised) line(s, d []float64, ss, sd, dd float64) func(t float64) (float64, float64) {
	n := p.n()
	return func(t float64) (float64, float64) {
		sum, slope := 0.0, 0.0
		for i := range n {
			dz := d[n+i] + d[2*n]
			v, e := p.point(i, s[n+i]+s[2*n]+t*dz)
			sum += v
			slope += e * dz
		}
		m := float64(n)
		return sum/m + 0.5*p.lambda*(ss+2*t*sd+t*t*dd), slope/m + p.lambda*(sd+t*dd)
	}
}

// curved is a regularised risk with second derivatives.
type curved struct{ *regularised }

// Hessian is v ↦ W·(Kv + v_b)/n + λv with W = diag(ℓ”), and its mean for the
// bias.
func (p curved) Hessian(s []float64) func(dst, v []float64) {
	n := p.n()
	w := make([]float64, n)
	for i := range w {
		w[i] = p.second(i, s[n+i]+s[2*n]) / float64(n)
	}
	return func(dst, v []float64) {
		sum := 0.0
		for i, wi := range w {
			e := wi * (v[n+i] + v[2*n])
			sum += e
			dst[i] = e + p.lambda*v[i]
		}
		p.image(dst)
		dst[2*n] = 0
		if p.bias {
			dst[2*n] = sum
		}
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
