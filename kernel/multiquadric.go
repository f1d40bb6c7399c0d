package kernel

import "math"

// Multiquadric is √(1 + ‖x-y‖²/ℓ²) (Hardy 1971), with ℓ = Lengthscale (1 when zero): a surface that
// grows with the distance, for interpolation. It is not positive definite, but its matrix at n
// distinct points has one positive eigenvalue and n-1 negative ones, so that one interpolates
// (Micchelli 1986). Its reciprocal, which is positive definite, is RationalQuadratic with α = ½.
type Multiquadric struct{ Lengthscale float64 }

// Name is "multiquadric".
func (Multiquadric) Name() string { return "multiquadric" }

// Eval returns √(1 + ‖x-y‖²/ℓ²).
func (k Multiquadric) Eval(x, y Vec) float64 {
	return math.Hypot(1, math.Sqrt(SqDist.Between(x, y))/orOne(k.Lengthscale))
}

// Metric is the squared distance.
func (Multiquadric) Metric() Metric { return SqDist }

// Profile maps m to √(1 + m/ℓ²).
func (k Multiquadric) Profile(m []float64) {
	l := orOne(k.Lengthscale)
	affine(m, 1/(l*l), 1)
	sqrtInPlace(m)
}

// ProfileGrad gives 1/(2ℓ²κ) and -m/(ℓ³κ).
func (k Multiquadric) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	l := orOne(k.Lengthscale)
	for i, v := range m {
		kappa := math.Sqrt(1 + v/(l*l))
		dm[i], dtheta[0][i] = 1/(2*l*l*kappa), -v/(l*l*l*kappa)
	}
}

// Params is the length-scale.
func (k Multiquadric) Params() []Param {
	return []Param{positive("multiquadric.lengthscale", orOne(k.Lengthscale))}
}

// With sets the length-scale.
func (Multiquadric) With(theta []float64) Kernel[Vec] { return Multiquadric{theta[0]} }

// Validate refuses a negative length-scale.
func (k Multiquadric) Validate() error {
	return mustBePositive("multiquadric", "lengthscale", k.Lengthscale)
}

// Properties of the multiquadric: conditionally negative definite, so no kernel of a space.
func (Multiquadric) Properties() Properties {
	return Properties{PSD: No, Strict: No, Continuous: Yes, Stationary: Yes, Isotropic: Yes, Universal: Unknown,
		Characteristic: Unknown, Bound: 1, Smoothness: math.Inf(1), Analytic: Yes}
}

// Interpolates says whether a kernel that is not positive definite has regular matrices at distinct
// points all the same, so that one can interpolate with it: a multiquadric has, in any unit of its
// coordinates and of its values. A kernel that stands for another one says for which by a method
// Unwrap.
func Interpolates[T any](k Kernel[T]) bool {
	if w, ok := k.(interface{ Unwrap() Kernel[T] }); ok {
		return interpolates(w.Unwrap())
	}
	return interpolates(k)
}

func interpolates(k any) bool {
	switch k := bare(k).(type) {
	case Multiquadric:
		return true
	case ARD:
		return interpolates(k.Kernel)
	case SparseOf:
		return interpolates(k.Dense)
	case interface{ Unwrap() Kernel[any] }:
		return interpolates(k.Unwrap())
	}
	s, ok := operatorOfKind[scale](k)
	return ok && interpolates(s.Kernel)
}
