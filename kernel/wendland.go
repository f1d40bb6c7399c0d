package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
)

// Wendland is the compactly supported kernel of Wendland (1995): a polynomial in r = ‖x-y‖/ℓ on [0,
// 1], of the least degree for its smoothness, and 0 beyond, so that most entries of a Gram matrix
// vanish when ℓ = Lengthscale (1 when zero) is small beside the spread of the points. With p =
// ⌊d/2⌋ + s + 1 for d = Dim (3 when zero) and s = Smoothness it is
//
//	s = 0 (C⁰):  (1-r)^p
//	s = 1 (C²):  (1-r)^(p+1)·((p+1)r + 1)
//	s = 2 (C⁴):  (1-r)^(p+2)·((p²+4p+3)r² + (3p+6)r + 3)/3
//
// It is positive definite on points of at most d coordinates, and not in every higher dimension:
// points with more are refused.
type Wendland struct {
	Lengthscale float64
	Smoothness  int // 0, 1 or 2: the kernel is 2·Smoothness times continuously differentiable
	Dim         int
}

func (k Wendland) dim() int {
	if k.Dim == 0 {
		return 3
	}
	return k.Dim
}

// power is p.
func (k Wendland) power() int { return k.dim()/2 + k.Smoothness + 1 }

// Name is "wendland".
func (Wendland) Name() string { return "wendland" }

// value is the polynomial at r.
func (k Wendland) value(r float64) float64 {
	if r >= 1 {
		return 0
	}
	p := float64(k.power())
	f := intPower(1-r, k.power()+k.Smoothness)
	switch k.Smoothness {
	case 1:
		f *= (p+1)*r + 1
	case 2:
		f *= ((p*p+4*p+3)*r*r + (3*p+6)*r + 3) / 3
	}
	return f
}

// slope is the derivative of the polynomial at r, divided by r; at the kink of C⁰ it is 0.
func (k Wendland) slope(r float64) float64 {
	if r >= 1 {
		return 0
	}
	p, f := float64(k.power()), intPower(1-r, k.power()+k.Smoothness-1)
	switch k.Smoothness {
	case 1:
		return -(p + 1) * (p + 2) * f
	case 2:
		return -(p + 3) * (p + 4) / 3 * (1 + (p+1)*r) * f
	}
	if r == 0 {
		return 0
	}
	return -p * f / r
}

// Eval returns the polynomial of the distance.
func (k Wendland) Eval(x, y Vec) float64 {
	return k.value(math.Sqrt(SqDist.Between(x, y)) / orOne(k.Lengthscale))
}

// Metric is the squared distance.
func (Wendland) Metric() Metric { return SqDist }

// Profile maps m to the polynomial at √m/ℓ.
func (k Wendland) Profile(m []float64) {
	l := orOne(k.Lengthscale)
	sqrtInPlace(m)
	for i, v := range m {
		m[i] = k.value(v / l)
	}
}

// ProfileGrad gives f'(r)/(2rℓ²) and -r·f'(r)/ℓ.
func (k Wendland) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	l := orOne(k.Lengthscale)
	for i, v := range m {
		r := math.Sqrt(v) / l
		s := k.slope(r)
		dm[i], dtheta[0][i] = s/(2*l*l), -r*r*s/l
	}
}

// Params is the length-scale.
func (k Wendland) Params() []Param {
	return []Param{positive("wendland.lengthscale", orOne(k.Lengthscale))}
}

// With sets the length-scale.
func (k Wendland) With(theta []float64) Kernel[Vec] {
	k.Lengthscale = theta[0]
	return k
}

// Validate refuses a negative length-scale, smoothness other than 0, 1 and 2, and a dimension
// below 1.
func (k Wendland) Validate() error {
	var bad error
	switch {
	case k.Smoothness < 0 || k.Smoothness > 2:
		bad = fault.Errorf("kernel", "wendland: smoothness = %d, want 0, 1 or 2", k.Smoothness)
	case k.Dim < 0:
		bad = fault.Errorf("kernel", "wendland: dim = %d, want at least 1", k.Dim)
	}
	return firstError(mustBePositive("wendland", "lengthscale", k.Lengthscale), bad)
}

// CheckPoints refuses points of more than Dim coordinates, where the kernel need not be positive
// definite.
func (k Wendland) CheckPoints(x data.Points[Vec]) error {
	for i := range x.Len() {
		if d := len(x.At(i)); d > k.dim() {
			return fault.Errorf("kernel",
				"wendland: row %d has %d coordinates, the kernel is positive definite on at most %d; set dim=%d", i, d, k.dim(), d)
		}
	}
	return nil
}

// Properties of Wendland's functions. Their Fourier transform is that of a function with bounded
// support, hence analytic: it is positive but for a set without interior, so its support is all of
// Rᵈ.
func (k Wendland) Properties() Properties { return radialUniversal(float64(k.Smoothness)) }
