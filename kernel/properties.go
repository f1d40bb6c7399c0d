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
	// Analytic: the functions of the RKHS are real analytic inside the domain, each its own Taylor
	// series around every point; so are those of a kernel that is in each argument.
	Analytic Tri
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
		", continuous " + p.Continuous.String() + ", smoothness " + number(p.Smoothness) + ", analytic " +
		p.Analytic.String() +
		", stationary " + p.Stationary.String() + ", isotropic " + p.Isotropic.String() +
		", universal " + p.Universal.String() + ", characteristic " + p.Characteristic.String()
}

// Propertied is an optional interface of kernels that know their properties.
type Propertied interface {
	Properties() Properties
}

// PropertiesOf says what is known of k; kernels of the algebra derive it from their
// parts by the closure rules.
func PropertiesOf[T any](k Kernel[T]) Properties { return propertiesOf(k) }

func propertiesOf(k any) Properties {
	if p, ok := k.(Propertied); ok {
		return p.Properties()
	}
	return nothingKnown()
}

func nothingKnown() Properties { return Properties{Bound: math.NaN(), Smoothness: math.NaN()} }

// finiteFeatures is a smooth kernel with finitely many features: never strict, universal or
// characteristic.
func finiteFeatures(bound float64) Properties {
	return Properties{PSD: Yes, Strict: No, Continuous: Yes, Stationary: No, Isotropic: No,
		Universal: No, Characteristic: No, Bound: bound, Smoothness: math.Inf(1), Analytic: Yes}
}

// radialUniversal is a stationary kernel whose spectral measure has full support: an analytic
// function, or one whose kink at 0 is told by its smoothness.
func radialUniversal(smoothness float64) Properties {
	analytic := No
	if math.IsInf(smoothness, 1) {
		analytic = Yes
	}
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: Yes, Isotropic: Yes,
		Universal: Yes, Characteristic: Yes, Bound: 1, Smoothness: smoothness, Analytic: analytic}
}
