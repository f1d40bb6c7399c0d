package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Laplace is exp(-‖x-y‖/ℓ) with the Euclidean norm and ℓ = Lengthscale (1 when
// zero), also called the exponential or Ornstein–Uhlenbeck kernel; it is Matérn
// with ν = 1/2.
type Laplace struct {
	Lengthscale float64
}

// Name is "laplace".
func (Laplace) Name() string { return "laplace" }

// Eval returns exp(-‖x-y‖/ℓ).
func (k Laplace) Eval(x, y Vec) float64 {
	return math.Exp(-math.Sqrt(SqDist.Between(x, y)) / orOne(k.Lengthscale))
}

// Metric is the squared distance.
func (Laplace) Metric() Metric { return SqDist }

// Profile maps r² to exp(-r/ℓ).
func (k Laplace) Profile(m []float64) {
	sqrtInPlace(m)
	expScale(m, -1/orOne(k.Lengthscale))
}

// Profile32 is Profile in single precision.
func (k Laplace) Profile32(m []float32) {
	sqrtInPlace32(m)
	expScale32(m, float32(-1/orOne(k.Lengthscale)))
}

// ProfileGrad gives -κ/(2ℓr) and rκ/ℓ².
func (k Laplace) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.slopes(dm, dtheta[0], m)
}

func (k Laplace) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	k.slopes(dm, dtheta[0], m)
}

// slopes sets dm = -κ/(2ℓr), 0 at r = 0, and d = rκ/ℓ² where d is there.
func (k Laplace) slopes(dm, d, m []float64) {
	l := orOne(k.Lengthscale)
	var buffer [chunk]float64
	for len(m) > 0 {
		n := min(chunk, len(m))
		r, e := buffer[:n], dm[:n]
		simd.Sqrt64(r, m[:n])
		simd.ScaleExp64(e, r, -1/l)
		if d != nil {
			for i, v := range e {
				d[i] = r[i] * v / (l * l)
			}
			d = d[n:]
		}
		for i, v := range e {
			e[i] = 0
			if r[i] > 0 {
				e[i] = -v / (2 * l * r[i])
			}
		}
		m, dm = m[n:], dm[n:]
	}
}

// Params is the length-scale.
func (k Laplace) Params() []Param {
	return []Param{positive("laplace.lengthscale", orOne(k.Lengthscale))}
}

// With sets the length-scale.
func (Laplace) With(theta []float64) Kernel[Vec] { return Laplace{theta[0]} }

// Validate refuses a negative length-scale.
func (k Laplace) Validate() error { return mustBePositive("laplace", "lengthscale", k.Lengthscale) }

// LaplaceL1 is exp(-Σ|xᵢ-yᵢ|/ℓ), the product of one-dimensional Laplace
// kernels, with ℓ = Lengthscale (1 when zero).
type LaplaceL1 struct {
	Lengthscale float64
}

// Name is "laplacel1".
func (LaplaceL1) Name() string { return "laplacel1" }

// Eval returns exp(-‖x-y‖₁/ℓ).
func (k LaplaceL1) Eval(x, y Vec) float64 {
	return math.Exp(-L1Dist.Between(x, y) / orOne(k.Lengthscale))
}

// Metric is the L1 distance.
func (LaplaceL1) Metric() Metric { return L1Dist }

// Profile maps r to exp(-r/ℓ).
func (k LaplaceL1) Profile(m []float64) { expScale(m, -1/orOne(k.Lengthscale)) }

// Profile32 is Profile in single precision.
func (k LaplaceL1) Profile32(m []float32) { expScale32(m, float32(-1/orOne(k.Lengthscale))) }

// ProfileGrad gives -κ/ℓ and rκ/ℓ².
func (k LaplaceL1) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.profileGrads(dm, dtheta, m)
}

func (k LaplaceL1) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	l := orOne(k.Lengthscale)
	exponentialSlopes(dm, dtheta[0], m, -1/l, 1/(l*l))
}

// Params is the length-scale.
func (k LaplaceL1) Params() []Param {
	return []Param{positive("laplacel1.lengthscale", orOne(k.Lengthscale))}
}

// With sets the length-scale.
func (LaplaceL1) With(theta []float64) Kernel[Vec] { return LaplaceL1{theta[0]} }

// Validate refuses a negative length-scale.
func (k LaplaceL1) Validate() error {
	return mustBePositive("laplacel1", "lengthscale", k.Lengthscale)
}

// SpectralMeasure is a multivariate t with one degree of freedom.
func (k Laplace) SpectralMeasure(int) (Spectral, error) {
	return studentT(0.5, orOne(k.Lengthscale)), nil
}

// SpectralMeasure has independent Cauchy coordinates.
func (k LaplaceL1) SpectralMeasure(int) (Spectral, error) {
	l := orOne(k.Lengthscale)
	return independent{1, func(u float64) float64 { return math.Tan(math.Pi*(u-0.5)) / l }}, nil
}

// Properties of the Laplace kernel: continuous, no derivative.
func (Laplace) Properties() Properties { return radialUniversal(0) }

// Properties of the L1 Laplace kernel: as Laplace, not isotropic.
func (LaplaceL1) Properties() Properties {
	p := radialUniversal(0)
	p.Isotropic = No
	return p
}
