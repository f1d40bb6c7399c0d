package solve

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/trace"
)

// Smooth is a convex, differentiable function on Rᴺ with an inner product. The
// minimisers below touch points only through Dot and linear combinations, so
// the inner product may be any: with that of an RKHS they run in the geometry
// of the function space, where the conditioning does not depend on the kernel
// matrix squared.
type Smooth interface {
	// Eval returns f(x) and sets grad to the gradient with respect to Dot:
	// f(x+h) = f(x) + Dot(grad, h) + o(h).
	Eval(x, grad []float64) float64
	// Dot is the inner product.
	Dot(a, b []float64) float64
}

// Curved is a Smooth function with second derivatives.
type Curved interface {
	Smooth
	// Hessian returns v ↦ H(x)·v in the same geometry: Dot(u, H·v) is the
	// second derivative along u and v. It must be positive semi-definite.
	Hessian(x []float64) func(dst, v []float64)
}

// Liner is an optional fast path of a Smooth function: f along a line.
type Liner interface {
	// Along returns t ↦ (φ(t), φ′(t)) with φ(t) = f(x + t·d).
	Along(x, d []float64) func(t float64) (value, slope float64)
}

// Settings bound a minimisation. The zero value is usable.
type Settings struct {
	Tol     float64    // stop when ‖grad‖ ≤ Tol·max(1, ‖grad at the start‖); 0 means 1e-8
	AbsTol  float64    // or when ‖grad‖ ≤ AbsTol
	MaxIter int        // 0 means 1000
	Memory  int        // L-BFGS: pairs kept; 0 means 10
	Trace   trace.Func // Residual is the gradient norm
}

func (s Settings) withDefaults() Settings {
	if s.Tol == 0 {
		s.Tol = 1e-8
	}
	if s.MaxIter == 0 {
		s.MaxIter = 1000
	}
	if s.Memory == 0 {
		s.Memory = 10
	}
	return s
}

// Minimum is where a minimisation stopped.
type Minimum struct {
	Value      float64
	GradNorm   float64
	Iterations int
	Converged  bool // the gradient tolerance was met
	Stalled    bool // no further decrease was possible in floating point
}

// descent is what the minimisers share: the point, its gradient and the loop.
type descent struct {
	Settings
	f     Smooth
	x, g  []float64
	value float64
	norm  float64
	goal  float64
}

// run repeats: ask direction for d, search along it, tell moved what happened.
func (s *descent) run(
	ctx context.Context, direction func(d []float64), moved func(step, dg []float64),
) (Minimum, error) {
	start := time.Now()
	n := len(s.x)
	s.g = make([]float64, n)
	d, old := make([]float64, n), make([]float64, n)
	s.value = s.f.Eval(s.x, s.g)
	s.norm = math.Sqrt(math.Max(0, s.f.Dot(s.g, s.g)))
	s.goal = math.Max(s.AbsTol, s.Tol*math.Max(1, s.norm))
	var line lineSearch
	it, unseen := 0, 0
	for ; it < s.MaxIter && s.norm > s.goal; it++ {
		if err := ctx.Err(); err != nil {
			return s.minimum(it), err
		}
		direction(d)
		if err := ctx.Err(); err != nil {
			return s.minimum(it), err
		}
		slope := s.f.Dot(s.g, d)
		if !(slope < 0) { // lost to rounding: fall back on steepest descent
			for i, v := range s.g {
				d[i] = -v
			}
			slope = -s.norm * s.norm
		}
		if unseen++; !line.unseen(slope) {
			unseen = 0
		}
		t := 0.0
		if unseen < 2 { // two steps in a row that nobody would see: there is nothing left to gain
			t = line.wolfe(s.along(d), s.value, slope)
		}
		if t == 0 {
			m := s.minimum(it)
			m.Stalled = true
			return m, ctx.Err()
		}
		copy(old, s.g)
		for i, v := range d {
			d[i] = t * v
			s.x[i] += d[i]
		}
		s.value = s.f.Eval(s.x, s.g)
		s.norm = math.Sqrt(math.Max(0, s.f.Dot(s.g, s.g)))
		for i, v := range s.g {
			old[i] = v - old[i]
		}
		moved(d, old)
		s.Trace.Report(trace.Step{Iteration: it + 1, Objective: s.value, Residual: s.norm, Elapsed: time.Since(start)})
	}
	return s.minimum(it), ctx.Err() // values found after its end may be unfinished
}

func (s *descent) minimum(it int) Minimum {
	return Minimum{Value: s.value, GradNorm: s.norm, Iterations: it, Converged: s.norm <= s.goal}
}

// along is f on the line from x in direction d.
func (s *descent) along(d []float64) func(float64) (float64, float64) {
	if l, ok := s.f.(Liner); ok {
		return l.Along(s.x, d)
	}
	x, g := make([]float64, len(d)), make([]float64, len(d))
	return func(t float64) (float64, float64) {
		for i, v := range d {
			x[i] = s.x[i] + t*v
		}
		v := s.f.Eval(x, g)
		return v, s.f.Dot(g, d)
	}
}
