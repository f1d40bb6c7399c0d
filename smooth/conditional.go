package smooth

import (
	"math"

	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// Conditional is a distribution of a number given an input: a mixture of
// kernels
//
//	p(t|x) = Σ wₖ·k((t - tₖ)/hₖ)/hₖ,  Σ wₖ = 1.
type Conditional struct {
	Smoother density.Smoother
	Shares   []float64 // w
	Centers  []float64
	Widths   []float64 // one for all, or one a centre
}

func (c Conditional) width(k int) float64 {
	if len(c.Widths) == 1 {
		return c.Widths[0]
	}
	return c.Widths[k]
}

// Density is p(t|x).
func (c Conditional) Density(t float64) float64 {
	s := 0.0
	for k, w := range c.Shares {
		if w > 0 {
			h := c.width(k)
			s += w * c.Smoother.Eval((t-c.Centers[k])/h) / h
		}
	}
	return s
}

// CDF is the probability of at most t.
func (c Conditional) CDF(t float64) float64 {
	s := 0.0
	for k, w := range c.Shares {
		if w > 0 {
			s += w * c.Smoother.CDF((t-c.Centers[k])/c.width(k))
		}
	}
	return min(s, 1)
}

// Mean is the expected value, Σ wₖ·tₖ.
func (c Conditional) Mean() float64 {
	s := 0.0
	for k, w := range c.Shares {
		s += w * c.Centers[k]
	}
	return s
}

// Variance is Σ wₖ·((tₖ - mean)² + μ₂hₖ²), μ₂ the variance of the kernel.
func (c Conditional) Variance() float64 {
	m, v, s := c.Mean(), c.Smoother.Variance(), 0.0
	for k, w := range c.Shares {
		d, h := c.Centers[k]-m, c.width(k)
		s += w * (d*d + v*h*h)
	}
	return s
}

// Quantile is the t with CDF(t) = p, for p in (0, 1); NaN otherwise.
func (c Conditional) Quantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	low, high, widest := math.Inf(1), math.Inf(-1), 0.0
	for k, w := range c.Shares {
		if w > 0 {
			low, high, widest = min(low, c.Centers[k]), max(high, c.Centers[k]), max(widest, c.width(k))
		}
	}
	if math.IsInf(low, 1) {
		return math.NaN()
	}
	for c.CDF(low) > p {
		low -= widest
		widest *= 2
	}
	for c.CDF(high) < p {
		high += widest
		widest *= 2
	}
	return smoothing.Bisect(func(t float64) float64 { return c.CDF(t) - p }, low, high)
}

// Modes lists the local maxima of p(t|x), highest first: ascents from every
// centre with weight by golden sections between its neighbours on a grid of a
// twentieth of the narrowest width.
func (c Conditional) Modes() []float64 {
	low, high, narrow := math.Inf(1), math.Inf(-1), math.Inf(1)
	for k, w := range c.Shares {
		if w > 1e-12 {
			low, high, narrow = min(low, c.Centers[k]), max(high, c.Centers[k]), min(narrow, c.width(k))
		}
	}
	if math.IsInf(low, 1) {
		return nil
	}
	// All modes lie between the outermost centres: beyond, every term falls.
	cells := int(min(math.Ceil((high-low)/(narrow/20)), 100_000)) + 2
	step := (high - low + narrow/10) / float64(cells-1)
	if !(step > 0) {
		return []float64{low}
	}
	values := make([]float64, cells+2)
	at := func(i int) float64 { return low - narrow/20 + float64(i-1)*step }
	for i := range values {
		values[i] = c.Density(at(i))
	}
	var modes []float64
	for i := 1; i <= cells; i++ {
		if values[i] > values[i-1] && values[i] >= values[i+1] {
			modes = append(modes, climb(c.Density, at(i-1), at(i+1)))
		}
	}
	for i := 1; i < len(modes); i++ {
		for j := i; j > 0 && c.Density(modes[j]) > c.Density(modes[j-1]); j-- {
			modes[j], modes[j-1] = modes[j-1], modes[j]
		}
	}
	return modes
}

// climb finds the maximum of f between a and b by golden sections.
func climb(f func(float64) float64, a, b float64) float64 {
	const golden = 0.6180339887498949
	u, v := b-golden*(b-a), a+golden*(b-a)
	fu, fv := f(u), f(v)
	for range 60 {
		if fu >= fv {
			b, v, fv = v, u, fu
			u = b - golden*(b-a)
			fu = f(u)
		} else {
			a, u, fu = u, v, fv
			v = a + golden*(b-a)
			fv = f(v)
		}
	}
	return (a + b) / 2
}
