package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Linear is ⟨x, y⟩.
type Linear struct{}

// Name is "linear".
func (Linear) Name() string { return "linear" }

// Eval returns ⟨x, y⟩.
func (Linear) Eval(x, y Vec) float64 { return Inner.Between(x, y) }

// Metric is the inner product.
func (Linear) Metric() Metric { return Inner }

// Profile is the identity.
func (Linear) Profile([]float64) {}

// Profile32 is the identity.
func (Linear) Profile32([]float32) {}

// ProfileGrad is 1.
func (Linear) ProfileGrad(dm []float64, _ [][]float64, _ []float64) {
	for i := range dm {
		dm[i] = 1
	}
}

// Polynomial is the polynomial kernel (γ⟨x, y⟩ + c)^p with γ = Gamma (1 when zero),
// c = Offset ≥ 0 and p = Degree (2 when zero). With c = 0 it is homogeneous:
// its features are all monomials of degree p; with c > 0 all up to degree p.
type Polynomial struct {
	Gamma  float64
	Offset float64
	Degree int
}

func (k Polynomial) degree() int {
	if k.Degree == 0 {
		return 2
	}
	return k.Degree
}

// Name is "poly".
func (Polynomial) Name() string { return "poly" }

// Eval returns (γ⟨x, y⟩ + c)^p.
func (k Polynomial) Eval(x, y Vec) float64 {
	return intPower(orOne(k.Gamma)*Inner.Between(x, y)+k.Offset, k.degree())
}

// Metric is the inner product.
func (Polynomial) Metric() Metric { return Inner }

// Profile maps z to (γz + c)^p.
func (k Polynomial) Profile(m []float64) {
	affine(m, orOne(k.Gamma), k.Offset)
	powInt(m, k.degree())
}

// Profile32 is Profile in single precision.
func (k Polynomial) Profile32(m []float32) {
	simd.Affine32(m, m, float32(orOne(k.Gamma)), float32(k.Offset))
	simd.PowInt32(m, m, k.degree())
}

// ProfileGrad gives the derivatives by z, γ and c; the degree has none.
func (k Polynomial) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	g, p := orOne(k.Gamma), k.degree()
	simd.Affine64(dm, m, g, k.Offset)
	powInt(dm, p-1)
	scaleBy(dm, float64(p))
	copy(dtheta[1], dm)
	clear(dtheta[2])
	for i, d := range dm {
		dtheta[0][i] = m[i] * d
	}
	scaleBy(dm, g)
}

// Params are γ, the offset and the degree.
func (k Polynomial) Params() []Param {
	return []Param{
		positive("poly.gamma", orOne(k.Gamma)),
		nonNegative("poly.offset", k.Offset),
		{"poly.degree", float64(k.degree()), Domain{Low: 1, High: 1000, Integer: true}},
	}
}

// With sets γ, the offset and the degree.
func (Polynomial) With(theta []float64) Kernel[Vec] {
	return Polynomial{theta[0], theta[1], int(math.Round(theta[2]))}
}

// Validate refuses γ < 0, c < 0 and a degree below 1.
func (k Polynomial) Validate() error {
	var bad error
	if k.Degree < 0 {
		bad = fault.Errorf("kernel", "poly: degree = %d, want at least 1", k.Degree)
	}
	return firstError(mustBePositive("poly", "gamma", k.Gamma), mustBeNonNegative("poly", "offset", k.Offset), bad)
}

// Exponential is e^{γ⟨x, y⟩} with γ = Gamma (1 when zero): the Taylor series
// kernel with aₙ = γⁿ/n!.
type Exponential struct {
	Gamma float64
}

// Name is "exponential".
func (Exponential) Name() string { return "exponential" }

// Eval returns e^{γ⟨x, y⟩}.
func (k Exponential) Eval(x, y Vec) float64 { return math.Exp(orOne(k.Gamma) * Inner.Between(x, y)) }

// Metric is the inner product.
func (Exponential) Metric() Metric { return Inner }

// Profile maps z to e^{γz}.
func (k Exponential) Profile(m []float64) { expScale(m, orOne(k.Gamma)) }

// Profile32 is Profile in single precision.
func (k Exponential) Profile32(m []float32) { expScale32(m, float32(orOne(k.Gamma))) }

// ProfileGrad gives γκ and zκ.
func (k Exponential) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	exponentialSlopes(dm, dtheta[0], m, orOne(k.Gamma), 1)
}

// Params is γ.
func (k Exponential) Params() []Param { return []Param{positive("exponential.gamma", orOne(k.Gamma))} }

// With sets γ.
func (Exponential) With(theta []float64) Kernel[Vec] { return Exponential{theta[0]} }

// Validate refuses γ < 0.
func (k Exponential) Validate() error { return mustBePositive("exponential", "gamma", k.Gamma) }

// Sigmoid is tanh(a⟨x, y⟩ + b) with a = Gamma (1 when zero) and b = Offset. It
// is offered because people use it; it is not positive definite.
type Sigmoid struct {
	Gamma  float64
	Offset float64
}

// Name is "sigmoid".
func (Sigmoid) Name() string { return "sigmoid" }

// Eval returns tanh(a⟨x, y⟩ + b).
func (k Sigmoid) Eval(x, y Vec) float64 {
	return math.Tanh(orOne(k.Gamma)*Inner.Between(x, y) + k.Offset)
}

// Metric is the inner product.
func (Sigmoid) Metric() Metric { return Inner }

// Profile maps z to tanh(az + b).
func (k Sigmoid) Profile(m []float64) {
	affine(m, orOne(k.Gamma), k.Offset)
	tanhInPlace(m)
}

// Profile32 is Profile in single precision.
func (k Sigmoid) Profile32(m []float32) {
	simd.Affine32(m, m, float32(orOne(k.Gamma)), float32(k.Offset))
	simd.Tanh32(m, m)
}

// ProfileGrad gives the derivatives by z, a and b.
func (k Sigmoid) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	g := orOne(k.Gamma)
	for i, z := range m {
		t := math.Tanh(g*z + k.Offset)
		d := 1 - t*t
		dm[i], dtheta[0][i], dtheta[1][i] = g*d, z*d, d
	}
}

// Params are a and b.
func (k Sigmoid) Params() []Param {
	return []Param{anyReal("sigmoid.gamma", orOne(k.Gamma)), anyReal("sigmoid.offset", k.Offset)}
}

// With sets a and b.
func (Sigmoid) With(theta []float64) Kernel[Vec] { return Sigmoid{theta[0], theta[1]} }

// Validate refuses numbers that are not finite.
func (k Sigmoid) Validate() error {
	for i, v := range []float64{k.Gamma, k.Offset} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("kernel", "sigmoid: %s = %g, want a finite number", [...]string{"gamma", "offset"}[i], v)
		}
	}
	return nil
}

// DotProduct is κ(⟨x, y⟩) for any function κ: a rotation-invariant kernel. It is
// positive definite in every dimension exactly when κ is a power series with
// coefficients ≥ 0 (Schoenberg 1942).
type DotProduct struct {
	Kappa func(z float64) float64
	// Slope is κ', when known; gradients by x need it.
	Slope func(z float64) float64
}

// Name is "dotproduct".
func (DotProduct) Name() string { return "dotproduct" }

// Eval returns κ(⟨x, y⟩).
func (k DotProduct) Eval(x, y Vec) float64 { return k.Kappa(Inner.Between(x, y)) }

// Metric is the inner product.
func (DotProduct) Metric() Metric { return Inner }

// Profile maps z to κ(z).
func (k DotProduct) Profile(m []float64) { mapInPlace(m, k.Kappa) }

// ProfileGrad gives κ', by a central difference when Slope is nil.
func (k DotProduct) ProfileGrad(dm []float64, _ [][]float64, m []float64) {
	slopes(dm, m, k.Kappa, k.Slope, false)
}

// Properties of the linear kernel.
func (Linear) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the polynomial kernel.
func (Polynomial) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the exponential kernel: a Taylor series with all coefficients > 0 is
// universal (Steinwart 2001).
func (Exponential) Properties() Properties {
	p := finiteFeatures(math.Inf(1))
	p.Strict, p.Universal, p.Characteristic = Yes, Yes, Unknown
	return p
}

// Properties of tanh: not positive definite.
func (Sigmoid) Properties() Properties {
	p := finiteFeatures(1)
	p.PSD = No
	return p
}

// Properties of a function of the inner product: continuous and whether it is a kernel, the user
// knows.
func (DotProduct) Properties() Properties {
	p := nothingKnown()
	p.Stationary, p.Isotropic = No, No
	return p
}
