package kernel

import (
	"math"
	"strconv"
)

// Tri is yes, no or unknown.
type Tri int8

// The values of Tri; the zero value is Unknown.
const (
	Unknown Tri = iota
	Yes
	No
)

// String writes "yes", "no" or "unknown".
func (t Tri) String() string { return [...]string{"unknown", "yes", "no"}[t] }

// Properties says what is known about a kernel as a function. Unknown is an
// answer: a rule that does not decide says so.
type Properties struct {
	PSD        Tri // positive semi-definite: every Gram matrix is
	Strict     Tri // strictly: Gram matrices of distinct points are positive definite
	Continuous Tri
	Stationary Tri // a function of x-y
	Isotropic  Tri // a function of ‖x-y‖
	// Universal: on every compact part of the domain, the RKHS is dense in the
	// continuous functions (Steinwart 2001).
	Universal Tri
	// Characteristic: the mean embedding tells apart all probability measures on
	// the whole domain (Sriperumbudur et al. 2010).
	Characteristic Tri
	// Bound is the least known bound on k(x, x): +Inf when there is none, NaN when
	// none is known.
	Bound float64
	// Smoothness is how often the functions of the RKHS are continuously
	// differentiable, at least: +Inf, or NaN when unknown.
	Smoothness float64
}

// String writes the properties on one line.
func (p Properties) String() string {
	number := func(v float64) string {
		if math.IsNaN(v) {
			return "unknown"
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return "psd " + p.PSD.String() + ", strict " + p.Strict.String() + ", k(x,x) ≤ " + number(p.Bound) +
		", continuous " + p.Continuous.String() + ", smoothness " + number(p.Smoothness) +
		", stationary " + p.Stationary.String() + ", isotropic " + p.Isotropic.String() +
		", universal " + p.Universal.String() + ", characteristic " + p.Characteristic.String()
}

// Propertied is an optional interface of kernels that know their properties.
type Propertied interface {
	Properties() Properties
}

// PropertiesOf says what is known of k; kernels of the algebra derive it from their
// parts by the closure rules.
func PropertiesOf[T any](k Kernel[T]) Properties {
	if p, ok := any(k).(Propertied); ok {
		return p.Properties()
	}
	return nothingKnown()
}

func nothingKnown() Properties { return Properties{Bound: math.NaN(), Smoothness: math.NaN()} }

// finiteFeatures is a smooth kernel with finitely many features: never strict, universal or
// characteristic.
func finiteFeatures(bound float64) Properties {
	return Properties{PSD: Yes, Strict: No, Continuous: Yes, Stationary: No, Isotropic: No,
		Universal: No, Characteristic: No, Bound: bound, Smoothness: math.Inf(1)}
}

// radialUniversal is a stationary kernel whose spectral measure has full support.
func radialUniversal(smoothness float64) Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: Yes, Isotropic: Yes,
		Universal: Yes, Characteristic: Yes, Bound: 1, Smoothness: smoothness}
}

// Properties of the Gaussian kernel: all of the good ones.
func (Gaussian) Properties() Properties { return radialUniversal(math.Inf(1)) }

// Properties of the Laplace kernel: continuous, no derivative.
func (Laplace) Properties() Properties { return radialUniversal(0) }

// Properties of the L1 Laplace kernel: as Laplace, not isotropic.
func (LaplaceL1) Properties() Properties {
	p := radialUniversal(0)
	p.Isotropic = No
	return p
}

// Properties of Matérn: k is 2m times differentiable at 0 for m < ν.
func (k Matern) Properties() Properties { return radialUniversal(math.Ceil(k.Nu) - 1) }

// Properties of the rational quadratic kernel.
func (RationalQuadratic) Properties() Properties { return radialUniversal(math.Inf(1)) }

// Properties of the periodic kernel: it does not tell x from x + p.
func (Periodic) Properties() Properties {
	p := finiteFeatures(1)
	p.Stationary = Yes
	return p
}

// Properties of a Fourier kernel with finitely many coefficients.
func (k Fourier) Properties() Properties {
	p := finiteFeatures(cosineSeries(k.Coef, 0))
	p.Stationary, p.Isotropic = Yes, Yes
	return p
}

// Properties of the theta kernel, on the circle.
func (k Theta) Properties() Properties {
	p := radialUniversal(math.Inf(1))
	p.Bound = k.Eval(Vec{0}, Vec{0})
	return p
}

// Properties of sinc: its spectral measure is a cube, which is enough to be strict and
// universal (Micchelli, Xu & Zhang 2006) but not characteristic.
func (Sinc) Properties() Properties {
	p := radialUniversal(math.Inf(1))
	p.Isotropic, p.Characteristic = No, No
	return p
}

// Properties of the linear kernel.
func (Linear) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the polynomial kernel.
func (Polynomial) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the quadratic form.
func (QuadraticForm) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the exponential kernel: a Taylor series with all coefficients > 0 is
// universal (Steinwart 2001).
func (Exponential) Properties() Properties {
	p := finiteFeatures(math.Inf(1))
	p.Strict, p.Universal, p.Characteristic = Yes, Yes, Unknown
	return p
}

// Properties of a polynomial in the inner product.
func (k Taylor) Properties() Properties {
	p := finiteFeatures(math.Inf(1))
	if k.Radius > 0 && !math.IsInf(k.Radius, 1) {
		p.Bound = horner(k.Coef, k.Radius)
	}
	return p
}

// Properties of the binomial kernel, on the unit ball.
func (k Binomial) Properties() Properties { return Exponential{}.Properties() }

// Properties of tanh: not positive definite.
func (Sigmoid) Properties() Properties {
	p := finiteFeatures(1)
	p.PSD = No
	return p
}

// Properties of the Sobolev kernel on [0, 1]ᵈ.
func (k Sobolev) Properties() Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: No, Isotropic: No,
		Universal: Yes, Characteristic: Yes, Bound: math.NaN(), Smoothness: float64(max(k.Order, 1) - 1)}
}

// Properties of the kernel of Example 4.6, which grows without bound at 0.
func (RadialSobolev) Properties() Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: No, Isotropic: No,
		Bound: math.Inf(1), Smoothness: 0}
}

// Properties of the cosine kernel, which jumps at 0.
func (Cosine) Properties() Properties {
	p := finiteFeatures(1)
	p.Continuous, p.Smoothness = No, math.NaN()
	return p
}

// Properties of the χ² kernel, on vectors with entries ≥ 0.
func (ChiSquare) Properties() Properties {
	return Properties{PSD: Yes, Continuous: Yes, Stationary: No, Isotropic: No, Bound: 1, Smoothness: math.NaN()}
}

// Properties of the additive χ² kernel.
func (AdditiveChiSquare) Properties() Properties { return Intersection{}.Properties() }

// Properties of histogram intersection.
func (Intersection) Properties() Properties {
	return Properties{PSD: Yes, Continuous: Yes, Stationary: No, Isotropic: No, Bound: math.Inf(1), Smoothness: 0}
}

// Properties of the polynomial basis.
func (Monomials) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the Gaussian basis; the bound grows with the dimension.
func (GaussianBasis) Properties() Properties { return finiteFeatures(math.NaN()) }

// Properties of the sigmoid basis; the bound grows with the dimension.
func (SigmoidBasis) Properties() Properties { return finiteFeatures(math.NaN()) }

// Properties of a function of the inner product: continuous and whether it is a kernel, the user knows.
func (DotProduct) Properties() Properties {
	p := nothingKnown()
	p.Stationary, p.Isotropic = No, No
	return p
}

// Properties of a function of the distance.
func (k Radial) Properties() Properties {
	p := nothingKnown()
	p.Stationary, p.Isotropic, p.Bound = Yes, Yes, k.Kappa(0)
	return p
}

// Properties of a function of the difference.
func (Stationary) Properties() Properties {
	p := nothingKnown()
	p.Stationary = Yes
	return p
}
