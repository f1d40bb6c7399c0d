package rkhs

import "math"

// SquaredLoss is ½(z-y)².
type SquaredLoss struct{}

// Value returns the loss and its derivative.
func (SquaredLoss) Value(y, z float64) (float64, float64) { return 0.5 * (z - y) * (z - y), z - y }

// Second is 1.
func (SquaredLoss) Second(_, _ float64) float64 { return 1 }

// LogisticLoss is log(1 + e^{-yz}) for y = ±1.
type LogisticLoss struct{}

// Value returns the loss and its derivative, without overflow.
func (LogisticLoss) Value(y, z float64) (float64, float64) {
	m := y * z
	e := math.Exp(-math.Abs(m))
	value := math.Max(-m, 0) + math.Log1p(e)
	p := e / (1 + e) // σ(-|m|)
	if m < 0 {
		p = 1 / (1 + e)
	}
	return value, -y * p
}

// Second is y²σ(m)σ(-m).
func (LogisticLoss) Second(y, z float64) float64 {
	e := math.Exp(-math.Abs(y * z))
	return y * y * e / ((1 + e) * (1 + e))
}

// HuberLoss is ½r² for |r| ≤ Delta and Delta·(|r| - Delta/2) beyond, r = z-y;
// Delta is 1 when zero. It has a bounded derivative, and no second one at the
// corner.
type HuberLoss struct{ Delta float64 }

// Value returns the loss and its derivative.
func (h HuberLoss) Value(y, z float64) (float64, float64) {
	d := h.Delta
	if d == 0 {
		d = 1
	}
	r := z - y
	if math.Abs(r) <= d {
		return 0.5 * r * r, r
	}
	return d * (math.Abs(r) - 0.5*d), math.Copysign(d, r)
}

// SquaredHingeLoss is ½·max(0, 1-yz)² for y = ±1.
type SquaredHingeLoss struct{}

// Value returns the loss and its derivative.
func (SquaredHingeLoss) Value(y, z float64) (float64, float64) {
	m := math.Max(0, 1-y*z)
	return 0.5 * m * m, -y * m
}

// PoissonLoss is e^z - yz for counts y ≥ 0: regression with a log link.
type PoissonLoss struct{}

// Value returns the loss and its derivative.
func (PoissonLoss) Value(y, z float64) (float64, float64) {
	e := math.Exp(z)
	return e - y*z, e - y
}

// Second is e^z.
func (PoissonLoss) Second(_, z float64) float64 { return math.Exp(z) }

// HingeLoss is max(0, 1-yz) for y = ±1: the loss of support vector machines. It has a kink at yz
// = 1.
type HingeLoss struct{}

// Value returns the loss and its derivative.
func (HingeLoss) Value(y, z float64) (float64, float64) {
	if m := 1 - y*z; m > 0 {
		return m, -y
	}
	return 0, 0
}

// AbsoluteLoss is |z-y|, which makes predictions medians. It has a kink at z = y.
type AbsoluteLoss struct{}

// Value returns the loss and its derivative.
func (AbsoluteLoss) Value(y, z float64) (float64, float64) {
	switch r := z - y; {
	case r > 0:
		return r, 1
	case r < 0:
		return -r, -1
	}
	return 0, 0
}
