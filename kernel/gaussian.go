package kernel

import "math"

// Gaussian is exp(-‖x-y‖²/(2ℓ²)) with ℓ = Lengthscale (1 when zero).
type Gaussian struct {
	Lengthscale float64
}

func (k Gaussian) scale() float64 {
	l := k.Lengthscale
	if l == 0 {
		l = 1
	}
	return -0.5 / (l * l)
}

// Eval returns exp(-‖x-y‖²/(2ℓ²)).
func (k Gaussian) Eval(x, y Vec) float64 {
	s := 0.0
	for i, v := range x {
		d := v - y[i]
		s += d * d
	}
	return math.Exp(k.scale() * s)
}

// Metric is the squared distance.
func (Gaussian) Metric() Metric { return SqDist }

// Profile maps r to exp(-r/(2ℓ²)).
func (k Gaussian) Profile(m []float64) {
	c := k.scale()
	for i, r := range m {
		m[i] = math.Exp(c * r)
	}
}
