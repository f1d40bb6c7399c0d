package gp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
)

// HyperOptions says how the hyper-parameters of a Gaussian process are found:
// by maximising the (approximate) log marginal likelihood with L-BFGS, on the
// logarithms of those parameters that are positive.
type HyperOptions struct {
	FixedKernel bool // keep the parameters of the kernel as given
	// Hold names kernel parameters to keep, as in kernel.Params; nil keeps the
	// smoothness ν of Matérn kernels, which has no closed-form derivative.
	Hold          []string
	Restarts      int     // further searches from random places; the best counts
	Seed          uint64  // of the random places
	MaxIterations int     // of each search; 0 means 100
	Tol           float64 // gradient norm, relative to that at the start, at which a search stops; 0 means 1e-5
}

func (o HyperOptions) withDefaults() (HyperOptions, error) {
	if o.Restarts < 0 {
		return o, fmt.Errorf("Restarts is %d; give 0 or more", o.Restarts)
	}
	return o, cmp.Or(fitting.SetOrDefaultInt("MaxIterations", &o.MaxIterations, 100),
		fitting.SetOrDefault("Tol", &o.Tol, 1e-5))
}

// coordinate is one direction of the search: log v or v itself, in [low, high].
type coordinate struct {
	at        int // position among all parameters
	log       bool
	low, high float64
}

// place is where u lies on the scale of the search, and its derivative: u
// itself but for the last margin inside a bound, which is approached as e^-u, so that a
// parameter that wants to go on for ever (the length-scale of a column that says nothing)
// meets neither a wall nor an edge, and its derivative dies away.
func (c coordinate) place(u float64) (v, slope float64) {
	margin := min(1, (c.high-c.low)/4)
	switch hi, lo := c.high-margin, c.low+margin; {
	case u > hi:
		e := math.Exp(-(u - hi) / margin)
		return c.high - margin*e, e
	case u < lo:
		e := math.Exp((u - lo) / margin)
		return c.low + margin*e, e
	}
	return u, 1
}

// start is the u of a place, which is kept off the bounds themselves: there the
// derivative is nothing.
func (c coordinate) start(v float64) float64 {
	margin := min(1, (c.high-c.low)/4)
	switch hi, lo := c.high-margin, c.low+margin; {
	case v > hi:
		return hi - margin*math.Log(max((c.high-v)/margin, 0.05))
	case v < lo:
		return lo + margin*math.Log(max((v-c.low)/margin, 0.05))
	}
	return v
}

// atBound says whether a place is as good as at a bound.
func (c coordinate) atBound(v float64) bool {
	near := 1e-2 * min(1, (c.high-c.low)/4)
	return v >= c.high-near || v <= c.low+near
}

func (c coordinate) value(v float64) float64 {
	if c.log {
		return math.Exp(v)
	}
	return v
}

// newCoordinate chooses the scale and the bounds of a parameter: a factor of
// 10⁵ either way on a log scale.
func newCoordinate(at int, p kernel.Param) coordinate {
	d := p.Domain
	if p.Value > 0 && (d.LogScale || d.Low == 0) {
		c := coordinate{at: at, log: true, low: math.Log(p.Value * 1e-5), high: math.Log(p.Value * 1e5)}
		if d.Low > 0 {
			c.low = math.Max(c.low, math.Log(d.Low))
		}
		c.high = math.Min(c.high, math.Log(d.High))
		return c
	}
	reach := 1e3 * math.Max(1, math.Abs(p.Value))
	return coordinate{at: at, low: math.Max(d.Low, p.Value-reach), high: math.Min(d.High, p.Value+reach)}
}

// kernelCoordinates lists what may be searched of a kernel. A parameter at
// infinity, as a length-scale that switches a coordinate off, is kept.
func (o HyperOptions) kernelCoordinates(params []kernel.Param) ([]coordinate, error) {
	for _, name := range o.Hold {
		if !slices.ContainsFunc(params, func(p kernel.Param) bool { return p.Name == name }) {
			return nil, fmt.Errorf("Hold names %q, which is no parameter of the kernel", name)
		}
	}
	var out []coordinate
	for i, p := range params {
		held := slices.Contains(o.Hold, p.Name) || o.Hold == nil && strings.HasSuffix(p.Name, ".nu")
		if !o.FixedKernel && !held && !p.Domain.Integer && !math.IsInf(p.Value, 0) {
			out = append(out, newCoordinate(i, p))
		}
	}
	return out, nil
}

// searched marks which of n parameters of a kernel have a coordinate.
func searched(coords []coordinate, n int) []bool {
	marks := make([]bool, n)
	for _, c := range coords {
		if c.at < n {
			marks[c.at] = true
		}
	}
	return marks
}

// hyperProblem is the negative log marginal likelihood in the coordinates of
// the search.
type hyperProblem struct {
	coords []coordinate
	theta  []float64 // all parameters
	// eval returns the log marginal likelihood at theta, and its derivatives by all
	// parameters.
	eval  func(theta, grad []float64) float64
	calls int

	lastU, lastG []float64
	lastValue    float64
}

// Eval implements solve.Smooth. The search asks for the accepted point of a
// line search once more; that is remembered.
func (h *hyperProblem) Eval(u, grad []float64) float64 {
	if slices.Equal(u, h.lastU) {
		copy(grad, h.lastG)
		return h.lastValue
	}
	slopes := make([]float64, len(u))
	for i, c := range h.coords {
		var v float64
		v, slopes[i] = c.place(u[i])
		h.theta[c.at] = c.value(v)
	}
	full := make([]float64, len(h.theta))
	h.calls++
	value := -h.eval(h.theta, full)
	for i, c := range h.coords {
		grad[i] = -full[c.at] * slopes[i]
		if c.log {
			grad[i] *= h.theta[c.at]
		}
	}
	if math.IsNaN(value) {
		value = math.Inf(1)
	}
	h.lastU, h.lastG, h.lastValue = slices.Clone(u), slices.Clone(grad), value
	return value
}

// Dot is that of Rⁿ.
func (h *hyperProblem) Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// hyperResult is the best place the searches found.
type hyperResult struct {
	theta      []float64
	value      float64 // log marginal likelihood
	gradient   float64 // norm at the end, in the coordinates of the search
	iterations int
	calls      int
	converged  bool
	atBound    []int // positions of parameters that ended at a bound
}

// search runs 1 + Restarts searches from theta; the random places lie within a
// factor of 100 of it.
func (o HyperOptions) search(
	ctx context.Context, theta []float64, coords []coordinate, trace trace.Func, eval func(theta, grad []float64) float64,
) (*hyperResult, error) {
	best := &hyperResult{theta: slices.Clone(theta), value: math.Inf(-1)}
	first := make([]float64, len(coords))
	for i, c := range coords {
		first[i] = theta[c.at]
		if c.log {
			first[i] = math.Log(first[i])
		}
		first[i] = c.start(first[i])
	}
	iterations, calls := 0, 0
	for r := range 1 + o.Restarts {
		u := slices.Clone(first)
		if r > 0 {
			rng := rand.New(rand.NewPCG(o.Seed, uint64(r)))
			for i, c := range coords {
				reach := math.Log(100)
				if !c.log {
					reach = math.Max(1, math.Abs(u[i]))
				}
				u[i] = c.start(math.Min(math.Max(u[i]+(2*rng.Float64()-1)*reach, c.low), c.high))
			}
		}
		h := &hyperProblem{coords: coords, theta: slices.Clone(theta), eval: func(theta, grad []float64) float64 {
			if ctx.Err() != nil { // a line search has dozens of tries, and each would prepare the kernel again
				return math.Inf(-1)
			}
			return eval(theta, grad)
		}}
		min, err := solve.LBFGS(ctx, h, u, solve.Settings{Tol: o.Tol, MaxIter: o.MaxIterations, Trace: trace})
		if err != nil {
			return nil, err
		}
		iterations += min.Iterations
		calls += h.calls
		if -min.Value > best.value {
			best.value, best.gradient, best.converged = -min.Value, min.GradNorm, min.Converged || min.Stalled
			best.atBound = nil
			for i, c := range coords {
				v, _ := c.place(u[i])
				best.theta[c.at] = c.value(v)
				if c.atBound(v) {
					best.atBound = append(best.atBound, c.at)
				}
			}
		}
	}
	best.iterations, best.calls = iterations, calls
	if math.IsInf(best.value, -1) {
		return nil, fmt.Errorf("the marginal likelihood is not finite anywhere the search looked; scale the targets, or " +
			"start from other parameters")
	}
	return best, nil
}

// withParams is k with other parameters; a kernel without any stays as it is.
func withParams(k kernel.Kernel[any], theta []float64) kernel.Kernel[any] {
	if t, ok := k.(kernel.Tunable[any]); ok && len(theta) > 0 {
		return t.With(slices.Clone(theta))
	}
	return k
}
