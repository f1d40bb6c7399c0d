package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Matern is the Matérn kernel
//
//	k(r) = 2^{1-ν}/Γ(ν) (√(2ν) r/ℓ)^ν K_ν(√(2ν) r/ℓ),  r = ‖x-y‖,
//
// with ν = Nu > 0 (required) and ℓ = Lengthscale (1 when zero). Functions of its
// RKHS have ν + d/2 derivatives in L2. Half-integer ν has the closed form
// e^{-z} times a polynomial (ν = 1/2 is Laplace); as ν → ∞ it tends to the
// Gaussian kernel (Rasmussen & Williams 2006, §4.2).
type Matern struct {
	Nu          float64
	Lengthscale float64
}

// Name is "matern".
func (Matern) Name() string { return "matern" }

// largeNu is where the uniform expansion takes over: it is right to 1e-13 there
// and costs no recurrence.
const largeNu = 25

// halfInteger returns the coefficients of the polynomial p in M_ν(z) = e^{-z} p(z)
// for ν = n + 1/2: p(z) = n!/(2n)! Σ (n+i)!/(i!(n-i)!) (2z)^{n-i}.
func halfInteger(nu float64) ([]float64, bool) {
	n := int(nu)
	if float64(n)+0.5 != nu || nu > largeNu {
		return nil, false
	}
	coef := make([]float64, n+1)
	coef[0] = 1 // i = n
	for j := 1; j <= n; j++ {
		// ratio of the term with i = n-j to that with i = n-j+1
		i := n - j + 1
		coef[j] = coef[j-1] * 2 * float64(i) / (float64(n+i) * float64(n-i+1))
	}
	return coef, true
}

// maternCorrelation is M_ν(z) = 2^{1-ν}/Γ(ν) z^ν K_ν(z) for ν below largeNu.
func maternCorrelation(nu, z float64) float64 {
	if z == 0 {
		return 1
	}
	if math.IsNaN(z) {
		return z // the series below would never converge
	}
	if z < 1e-8 && nu > 1 {
		return 1 - z*z/(4*(nu-1))
	}
	if z > 745+nu*math.Log(z) || math.IsInf(z, 1) {
		return 0
	}
	lg, _ := math.Lgamma(nu)
	return math.Exp((1-nu)*math.Ln2-lg+nu*math.Log(z)-z) * besselKScaled(nu, z)
}

// profile is κ as a function of s = r²/ℓ² for this ν, with what depends on ν
// alone worked out once.
func (k Matern) profile() func(s float64) float64 {
	nu := k.Nu
	if coef, ok := halfInteger(nu); ok {
		return func(s float64) float64 {
			z := math.Sqrt(2 * nu * s)
			if e := math.Exp(-z); e > 0 { // else p(z) may have overflowed
				return horner(coef, z) * e
			}
			return 0
		}
	}
	if nu >= largeNu {
		return func(s float64) float64 { return maternLarge(nu, s) }
	}
	return func(s float64) float64 { return maternCorrelation(nu, math.Sqrt(2*nu*s)) }
}

// Eval returns the kernel value.
func (k Matern) Eval(x, y Vec) float64 {
	l := orOne(k.Lengthscale)
	return k.profile()(SqDist.Between(x, y) / (l * l))
}

// Metric is the squared distance.
func (Matern) Metric() Metric { return SqDist }

// Profile maps r² to κ(r).
func (k Matern) Profile(m []float64) {
	l := orOne(k.Lengthscale)
	if coef, ok := halfInteger(k.Nu); ok {
		polyExp(m, coef, k.rate())
		return
	}
	f := k.profile()
	inv := 1 / (l * l)
	for i, v := range m {
		m[i] = f(v * inv)
	}
}

// rate is z/r, with M_ν(z).
func (k Matern) rate() float64 { return math.Sqrt(2*k.Nu) / orOne(k.Lengthscale) }

// Profile32 is Profile in single precision.
func (k Matern) Profile32(m []float32) {
	l := orOne(k.Lengthscale)
	if coef, ok := halfInteger(k.Nu); ok {
		polyExp32(m, coef, float32(k.rate()))
		return
	}
	f := k.profile()
	for i, v := range m {
		m[i] = float32(f(float64(v) / (l * l)))
	}
}

// Params are ν and the length-scale.
func (k Matern) Params() []Param {
	return []Param{positive("matern.nu", k.Nu), positive("matern.lengthscale", orOne(k.Lengthscale))}
}

// With sets ν and the length-scale.
func (Matern) With(theta []float64) Kernel[Vec] { return Matern{theta[0], theta[1]} }

// Validate refuses ν ≤ 0 and a negative length-scale.
func (k Matern) Validate() error {
	if !(k.Nu > 0) || math.IsInf(k.Nu, 0) {
		return fault.Errorf("kernel", "matern: nu = %g, want a finite number > 0 (for ν = ∞ use gaussian)", k.Nu)
	}
	return mustBePositive("matern", "lengthscale", k.Lengthscale)
}

// SpectralMeasure is a multivariate t with 2ν degrees of freedom.
func (k Matern) SpectralMeasure(int) (Spectral, error) {
	return studentT(k.Nu, orOne(k.Lengthscale)), nil
}

// Properties of Matérn: k is 2m times differentiable at 0 for m < ν.
func (k Matern) Properties() Properties { return radialUniversal(math.Ceil(k.Nu) - 1) }
