package kernel

import (
	"math"
	"math/rand/v2"
)

// Gaussian is exp(-‖x-y‖²/(2ℓ²)) with ℓ = Lengthscale (1 when zero). A
// length-scale for each coordinate is ARD{Kernel: Gaussian{}, …}, a full
// covariance is Mahalanobis{Kernel: Gaussian{}, …}.
type Gaussian struct {
	Lengthscale float64
}

func (k Gaussian) scale() float64 {
	l := orOne(k.Lengthscale)
	return -0.5 / (l * l)
}

// Name is "gaussian".
func (Gaussian) Name() string { return "gaussian" }

// Eval returns exp(-‖x-y‖²/(2ℓ²)).
func (k Gaussian) Eval(x, y Vec) float64 { return math.Exp(k.scale() * SqDist.Between(x, y)) }

// Metric is the squared distance.
func (Gaussian) Metric() Metric { return SqDist }

// Profile maps r to exp(-r/(2ℓ²)).
func (k Gaussian) Profile(m []float64) { expScale(m, k.scale()) }

// Profile32 is Profile in single precision.
func (k Gaussian) Profile32(m []float32) { expScale32(m, float32(k.scale())) }

// ProfileGrad gives -κ/(2ℓ²) and rκ/ℓ³.
func (k Gaussian) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.profileGrads(dm, dtheta, m)
}

func (k Gaussian) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	l := orOne(k.Lengthscale)
	exponentialSlopes(dm, dtheta[0], m, k.scale(), 1/(l*l*l))
}

// Params is the length-scale.
func (k Gaussian) Params() []Param {
	return []Param{positive("gaussian.lengthscale", orOne(k.Lengthscale))}
}

// With sets the length-scale.
func (Gaussian) With(theta []float64) Kernel[Vec] { return Gaussian{theta[0]} }

// Validate refuses a negative length-scale.
func (k Gaussian) Validate() error { return mustBePositive("gaussian", "lengthscale", k.Lengthscale) }

// SpectralMeasure is the normal distribution of covariance I/ℓ².
func (k Gaussian) SpectralMeasure(int) (Spectral, error) {
	return gaussMixture(orOne(k.Lengthscale), func(*rand.Rand) float64 { return 1 }), nil
}

// Properties of the Gaussian kernel: all of the good ones.
func (Gaussian) Properties() Properties { return radialUniversal(math.Inf(1)) }
