package kernel

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// RationalQuadratic is (1 + ‖x-y‖²/(2αℓ²))^(-α), a scale mixture of Gaussian
// kernels, with α = Alpha and ℓ = Lengthscale (1 when zero). As α → ∞ it tends
// to the Gaussian kernel.
type RationalQuadratic struct {
	Alpha       float64
	Lengthscale float64
}

// Name is "rq".
func (RationalQuadratic) Name() string { return "rq" }

func (k RationalQuadratic) kappa(m float64) float64 {
	a, l := orOne(k.Alpha), orOne(k.Lengthscale)
	return math.Exp(-a * math.Log1p(m/(2*a*l*l)))
}

// Eval returns (1 + ‖x-y‖²/(2αℓ²))^(-α).
func (k RationalQuadratic) Eval(x, y Vec) float64 { return k.kappa(SqDist.Between(x, y)) }

// Metric is the squared distance.
func (RationalQuadratic) Metric() Metric { return SqDist }

// Profile maps r² to (1 + r²/(2αℓ²))^(-α).
func (k RationalQuadratic) Profile(m []float64) {
	a, l := orOne(k.Alpha), orOne(k.Lengthscale)
	c := 1 / (2 * a * l * l)
	if a == 1 {
		affine(m, c, 1)
		simd.Reciprocal64(m, m)
		return
	}
	powerOfOnePlus(m, c, -a)
}

// Profile32 is Profile in single precision.
func (k RationalQuadratic) Profile32(m []float32) {
	a, l := orOne(k.Alpha), orOne(k.Lengthscale)
	powerOfOnePlus32(m, float32(1/(2*a*l*l)), float32(-a))
}

// ProfileGrad gives the derivatives by r², α and ℓ.
func (k RationalQuadratic) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.profileGrads(dm, dtheta, m)
}

// profileGrads has u = r²/(2αℓ²), κ = (1+u)^(-α): dκ/dr² = -κ/((1+u)2ℓ²), dκ/dα = κ(u/(1+u) -
// log(1+u)) and dκ/dℓ = -2r²/ℓ·dκ/dr².
func (k RationalQuadratic) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	a, l := orOne(k.Alpha), orOne(k.Lengthscale)
	c := 1 / (2 * a * l * l)
	var buffer [2][chunk]float64
	for at := 0; at < len(m); at += chunk {
		n := min(chunk, len(m)-at)
		u, logs, v := buffer[0][:n], buffer[1][:n], dm[at:at+n]
		simd.Affine64(u, m[at:at+n], c, 0)
		simd.Log1p64(logs, u)
		simd.ScaleExp64(v, logs, -a)
		if d := dtheta[0]; d != nil {
			for i, w := range v {
				d[at+i] = w * (u[i]/(1+u[i]) - logs[i])
			}
		}
		for i, w := range v {
			v[i] = -w / ((1 + u[i]) * 2 * l * l)
		}
		if d := dtheta[1]; d != nil {
			for i, w := range v {
				d[at+i] = -2 / l * m[at+i] * w
			}
		}
	}
}

// Params are the mixture exponent and the length-scale.
func (k RationalQuadratic) Params() []Param {
	return []Param{positive("rq.alpha", orOne(k.Alpha)), positive("rq.lengthscale", orOne(k.Lengthscale))}
}

// With sets the exponent and the length-scale.
func (RationalQuadratic) With(theta []float64) Kernel[Vec] {
	return RationalQuadratic{theta[0], theta[1]}
}

// Validate refuses negative parameters.
func (k RationalQuadratic) Validate() error {
	return firstError(mustBePositive("rq", "alpha", k.Alpha), mustBePositive("rq", "lengthscale", k.Lengthscale))
}

// SpectralMeasure is a Gaussian whose precision has a Gamma distribution.
func (k RationalQuadratic) SpectralMeasure(int) (Spectral, error) {
	a := orOne(k.Alpha)
	return gaussMixture(orOne(k.Lengthscale), func(rng *rand.Rand) float64 { return gammaSample(rng, a) / a }), nil
}

// Properties of the rational quadratic kernel.
func (RationalQuadratic) Properties() Properties { return radialUniversal(math.Inf(1)) }
