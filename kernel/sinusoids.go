package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Sinusoids is φ(x)ᵀφ(y) with φ = (sin ωxᵢ, cos ωxᵢ, sin 2ωxᵢ, …, cos Lωxᵢ) for each coordinate i,
// L = Degree (1 when zero) and ω = 2π/p, p = Period (2π when zero). It is Σᵢ Σ_{l ≤ L}
// cos(lω(xᵢ-yᵢ)), the band-limited periodic functions without their mean, which is the intercept of
// a learner.
type Sinusoids struct {
	Degree int
	Period float64
}

func (k Sinusoids) degree() int { return max(k.Degree, 1) }

func (k Sinusoids) period() float64 {
	if k.Period == 0 {
		return 2 * math.Pi
	}
	return k.Period
}

// Name is "sinusoidbasis".
func (Sinusoids) Name() string { return "sinusoidbasis" }

// FeatureDim is 2dL.
func (k Sinusoids) FeatureDim(d int) int { return 2 * d * k.degree() }

// Features sets dst to the sines and cosines of the coordinates.
func (k Sinusoids) Features(dst, x Vec) {
	p, at := k.period(), 0
	w := 2 * math.Pi / p
	for _, v := range x {
		v = unwound(v, p)
		for l := range k.degree() {
			dst[at], dst[at+1] = math.Sincos(float64(l+1) * w * v)
			at += 2
		}
	}
}

// Eval returns φ(x)ᵀφ(y).
func (k Sinusoids) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k Sinusoids) embedding() embedding {
	m, p := k.degree(), k.period()
	w := 2 * math.Pi / p
	return embedding{
		inner: Linear{}, key: []any{"waves", m, p}, dim: k.FeatureDim, apply: k.Features,
		pull: func(dx, g, x Vec) {
			for i, v := range x {
				v = unwound(v, p)
				for l := range m {
					a := float64(l+1) * w
					s, c := math.Sincos(a * v)
					at := 2 * (i*m + l)
					dx[i] += a * (g[at]*c - g[at+1]*s)
				}
			}
		},
		tangent: func(dst Vec, _ int, x Vec) { // by p: d(lωx)/dp = -lωx/p
			for i, v := range x {
				turned := unwound(v, p)
				for l := range m {
					s, c := math.Sincos(float64(l+1) * w * turned)
					a := float64(l+1) * w * v
					at := 2 * (i*m + l)
					dst[at], dst[at+1] = -c*a/p, s*a/p
				}
			}
		},
		turns: true, own: 1,
	}
}

// Params is the period.
func (k Sinusoids) Params() []Param { return []Param{positive("sinusoidbasis.period", k.period())} }

// With sets the period.
func (k Sinusoids) With(theta []float64) Kernel[Vec] { return Sinusoids{k.Degree, theta[0]} }

// Validate refuses a negative degree or period.
func (k Sinusoids) Validate() error {
	if k.Degree < 0 {
		return fault.Errorf("kernel", "sinusoidbasis: degree = %d, want at least 1", k.Degree)
	}
	return mustBePositive("sinusoidbasis", "period", k.Period)
}

// Properties of the sinusoidal basis; k(x, x) is dL in d coordinates.
func (Sinusoids) Properties() Properties {
	p := finiteFeatures(math.NaN())
	p.Stationary = Yes
	return p
}

func (k Sinusoids) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return newSparseBasis(leaf, make([]float64, 2*k.degree()), k.Features)
}
