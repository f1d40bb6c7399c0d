package graph

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// StepWalk is GeometricWalk of at most p = Steps steps,
//
//	k(G, G') = Σ_{k=0}^{p} λᵏ·1ᵀA×ᵏ1,
//
// for any λ = Lambda > 0 (1 when zero). Of graphs without labels 1ᵀA×ᵏ1 = (1ᵀAᵏ1)(1ᵀA'ᵏ1): each is
// read once.
type StepWalk struct {
	Steps      int
	Lambda     float64
	EdgeLabels bool
}

// Name is "stepwalk".
func (StepWalk) Name() string { return "stepwalk" }

func (k StepWalk) lambda() float64 { return orDefault(k.Lambda, 1) }

// prepare leaves the numbers of walks 1ᵀAᵏ1 of a graph without labels in its spectrum.
func (k StepWalk) prepare(g Graph) *walkForm {
	w := newWalkForm(g, k.EdgeLabels, unscaled)
	if w.labelled {
		return w
	}
	w.spectrum = &walkSpectrum{}
	now, next := w.stop, make([]float64, w.n)
	for range k.Steps + 1 {
		w.spectrum.weight = append(w.spectrum.weight, dot(w.start, now))
		for i := range next {
			next[i] = 0
			for e := w.ptr[i]; e < w.ptr[i+1]; e++ {
				next[i] += w.weightAt(e) * now[w.to[e]]
			}
		}
		now, next = next, now
	}
	return w
}

func (k StepWalk) between(x, y *walkForm) float64 {
	if x.n == 0 || y.n == 0 {
		return 0
	}
	if x.spectrum != nil && y.spectrum != nil {
		s, power := 0.0, 1.0
		for i, a := range x.spectrum.weight {
			s += power * (a * y.spectrum.weight[i])
			power *= k.lambda()
		}
		return s
	}
	if before(y.form, x.form) {
		x, y = y, x
	}
	return newProduct(x, y).powers(func(i int, _, _ float64) (float64, bool) {
		return math.Pow(k.lambda(), float64(i)), i <= k.Steps
	})
}

// Eval counts pairs of walks.
func (k StepWalk) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints reads each graph once.
func (k StepWalk) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params are p and λ.
func (k StepWalk) Params() []kernel.Param {
	return []kernel.Param{count("stepwalk.steps", k.Steps), positive("stepwalk.lambda", k.lambda())}
}

// With sets p and λ.
func (k StepWalk) With(theta []float64) kernel.Kernel[Graph] {
	return StepWalk{int(theta[0]), theta[1], k.EdgeLabels}
}

// Validate refuses p < 0 and λ < 0.
func (k StepWalk) Validate() error {
	if err := mustBeCount("stepwalk", "steps", k.Steps); err != nil {
		return err
	}
	return mustBePositive("stepwalk", "lambda", k.Lambda)
}

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k StepWalk) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("stepwalk", x, k.EdgeLabels)
}

// Properties of a kernel of counts.
func (StepWalk) Properties() kernel.Properties { return psd(math.Inf(1)) }

// ExponentialWalk is GeometricWalk with λᵏ/k! in place of λᵏ,
//
//	k(G, G') = 1ᵀexp(λA×)1,
//
// which has a limit for every λ = Lambda > 0 (1 when zero).
type ExponentialWalk struct {
	Lambda     float64
	EdgeLabels bool
}

// Name is "exponentialwalk".
func (ExponentialWalk) Name() string { return "exponentialwalk" }

func (k ExponentialWalk) lambda() float64 { return orDefault(k.Lambda, 1) }

func (k ExponentialWalk) prepare(g Graph) *walkForm { return newSpectralForm(g, k.EdgeLabels) }

func (k ExponentialWalk) between(x, y *walkForm) float64 {
	return walkBetween(x, y, func(m float64) float64 { return math.Exp(k.lambda() * m) }, func(p *product) float64 {
		c := 1.0
		return p.powers(func(i int, sum, last float64) (float64, bool) {
			if i > 0 {
				c *= k.lambda() / float64(i)
			}
			return c, i < 2 || last > 1e-17*sum
		})
	})
}

// Eval counts pairs of walks.
func (k ExponentialWalk) Eval(x, y Graph) float64 { return k.between(k.prepare(x), k.prepare(y)) }

// PreparePoints decomposes each graph once.
func (k ExponentialWalk) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.prepare, k.between)
}

// Params is λ.
func (k ExponentialWalk) Params() []kernel.Param {
	return []kernel.Param{positive("exponentialwalk.lambda", k.lambda())}
}

// With sets λ.
func (k ExponentialWalk) With(theta []float64) kernel.Kernel[Graph] {
	return ExponentialWalk{theta[0], k.EdgeLabels}
}

// Validate refuses λ < 0.
func (k ExponentialWalk) Validate() error {
	return mustBePositive("exponentialwalk", "lambda", k.Lambda)
}

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k ExponentialWalk) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("exponentialwalk", x, k.EdgeLabels)
}

// Properties of a limit of kernels of counts.
func (ExponentialWalk) Properties() kernel.Properties { return psd(math.Inf(1)) }
