package kernel

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Spectral is the spectral measure of a stationary kernel on Rᵈ (Bochner):
//
//	k(x, y) = Mass · E cos⟨ω, x-y⟩.
//
// Random Fourier features (Rahimi & Recht 2007) sample ω from it.
type Spectral interface {
	// SampleFrequency sets dst = ω, a random frequency; len(dst) is d.
	SampleFrequency(dst []float64, rng *rand.Rand)
	// Mass is k(x, x).
	Mass() float64
}

// spectral is a measure by its mass and a sampler.
type spectral struct {
	mass      float64
	isotropic bool
	sample    func(dst []float64, rng *rand.Rand)
}

func (s spectral) SampleFrequency(dst []float64, rng *rand.Rand) { s.sample(dst, rng) }
func (s spectral) Mass() float64                                 { return s.mass }
func (s spectral) Isotropic() bool                               { return s.isotropic }

// IsotropicSpectral is a Spectral that may know that it looks the same in all directions.
type IsotropicSpectral interface {
	Spectral
	Isotropic() bool
}

func isotropic(s Spectral) bool {
	i, ok := s.(IsotropicSpectral)
	return ok && i.Isotropic()
}

// IndependentSpectral is a Spectral whose frequency has independent coordinates of one
// distribution, known by its quantile function.
type IndependentSpectral interface {
	Spectral
	// Quantile is the inverse of the distribution function of each coordinate, 0 < u < 1.
	Quantile(u float64) float64
}

// independent is such a measure.
type independent struct {
	mass     float64
	quantile func(u float64) float64
}

func (s independent) SampleFrequency(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = s.quantile(rng.Float64())
	}
}
func (s independent) Mass() float64              { return s.mass }
func (s independent) Quantile(u float64) float64 { return s.quantile(u) }

// Stationarity is an optional interface of kernels that know their spectral measure
// on Rᵈ, so that a user's kernel takes part in SpectralOf.
type Stationarity interface {
	Kernel[Vec]
	SpectralMeasure(dim int) (Spectral, error)
}

// SpectralOf returns the spectral measure of a stationary kernel in dim dimensions:
// of Gaussian, Laplace (both), Matérn, rational quadratic, sinc, periodic, theta and Fourier
// kernels, and of sums, products, scales, powers, polynomials, exponentials, ARD, Mahalanobis and
// column selections of them. The error names the part that has none.
func SpectralOf(k Kernel[Vec], dim int) (Spectral, error) {
	if err := validate(k); err != nil {
		return nil, err
	}
	return spectralOf(k, dim)
}

func spectralOf(k Kernel[Vec], dim int) (Spectral, error) {
	if o, ok := operatorOf(k); ok {
		parts := make([]Spectral, len(o.parts()))
		for i, p := range typedAll[Vec](o.parts()) {
			var err error
			if parts[i], err = spectralOf(p, dim); err != nil {
				return nil, err
			}
		}
		if s := o.spectral(parts); s != nil {
			return s, nil
		}
	} else if s, ok := k.(Stationarity); ok {
		m, err := s.SpectralMeasure(dim)
		if _, independent := m.(IndependentSpectral); err == nil && !independent && PropertiesOf(k).Isotropic == Yes {
			return spectral{m.Mass(), true, m.SampleFrequency}, nil
		}
		return m, err
	}
	return nil, fault.Errorf("kernel", "%s has no spectral measure (it is not stationary, or its measure is not known)",
		NameOf(k))
}

// gaussMixture samples ω ~ N(0, τ/ℓ² I), τ random.
func gaussMixture(l float64, tau func(*rand.Rand) float64) Spectral {
	return spectral{1, true, func(dst []float64, rng *rand.Rand) {
		s := math.Sqrt(tau(rng)) / l
		for i := range dst {
			dst[i] = s * rng.NormFloat64()
		}
	}}
}

// studentT is the measure of Matérn: its density ∝ (2ν/ℓ² + ‖ω‖²)^{-(ν+d/2)} is a
// multivariate t with 2ν degrees of freedom.
func studentT(nu, l float64) Spectral {
	return gaussMixture(l, func(rng *rand.Rand) float64 { return nu / gammaSample(rng, nu) })
}

// gammaSample draws from the Gamma distribution with shape a and rate 1 (Marsaglia
// & Tsang 2000; shapes below 1 by the power of a uniform).
func gammaSample(rng *rand.Rand, a float64) float64 {
	if a < 1 {
		return gammaSample(rng, a+1) * math.Pow(1-rng.Float64(), 1/a)
	}
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// harmonics is the measure on the multiples l·w, l in Z, with weights coef[|l|]. Both signs are
// there: the cosine of a sum of several coordinates is a product of cosines only on average over
// them.
func harmonics(w float64, coef []float64) independent {
	top := len(coef) - 1
	below := make([]float64, 2*top+1) // the weight of all multiples up to l = i - top
	total := 0.0
	for i := range below {
		total += coef[max(i-top, top-i)]
		below[i] = total
	}
	return independent{total, func(u float64) float64 {
		return w * float64(min(sort.SearchFloat64s(below, u*total), 2*top)-top)
	}}
}

func choose(weight []float64, total float64, rng *rand.Rand) int {
	u := rng.Float64() * total
	for i, w := range weight {
		if u < w {
			return i
		}
		u -= w
	}
	return len(weight) - 1
}

// CompoundSpectral is the measure of a kernel of the algebra: a frequency is a sum of independent
// frequencies of its parts, of each as many as SampleCounts says.
type CompoundSpectral interface {
	Spectral
	Parts() []Spectral
	// SampleCounts sets counts[i] to the number of frequencies of part i that the next frequency is
	// the sum of.
	SampleCounts(counts []int, rng *rand.Rand)
}

// compound is such a measure; counts are 0 when count gets them.
type compound struct {
	mass  float64
	parts []Spectral
	count func(counts []int, rng *rand.Rand)
}

func (s compound) Mass() float64     { return s.mass }
func (s compound) Parts() []Spectral { return s.parts }
func (s compound) SampleCounts(counts []int, rng *rand.Rand) {
	clear(counts)
	s.count(counts, rng)
}

// Isotropic: the sum of independent isotropic vectors is one.
func (s compound) Isotropic() bool {
	for _, p := range s.parts {
		if !isotropic(p) {
			return false
		}
	}
	return true
}

// SampleFrequency adds up. The measures are symmetric, so a random sign stands for the conjugate
// half.
func (s compound) SampleFrequency(dst []float64, rng *rand.Rand) {
	counts := make([]int, len(s.parts))
	s.SampleCounts(counts, rng)
	all := 0
	for _, n := range counts {
		all += n
	}
	clear(dst)
	one := make([]float64, len(dst))
	for i, n := range counts {
		for range n {
			s.parts[i].SampleFrequency(one, rng)
			sign := 1.0
			if all > 1 && rng.Uint64()&1 == 1 {
				sign = -1
			}
			for j, v := range one {
				dst[j] += sign * v
			}
		}
	}
}

// reweighed is the measure of the one part with another mass.
func reweighed(mass float64, parts []Spectral) Spectral {
	return compound{mass, parts, func(counts []int, _ *rand.Rand) { counts[0] = 1 }}
}

// powerSeries is the measure of Σ aₙkⁿ, k the one part.
func powerSeries(parts []Spectral, coef []float64) Spectral {
	weight, total, p := make([]float64, len(coef)), 0.0, 1.0
	for n, a := range coef {
		weight[n] = a * p
		total += weight[n]
		p *= parts[0].Mass()
	}
	return compound{total, parts, func(counts []int, rng *rand.Rand) { counts[0] = choose(weight, total, rng) }}
}

// exponentialCoef is 1/n! until the terms at mass m vanish.
func exponentialCoef(m float64) []float64 {
	coef, term := []float64{1}, 1.0
	for n := 1; n < 1000; n++ {
		coef = append(coef, coef[n-1]/float64(n))
		if term *= m / float64(n); term < 1e-17 && float64(n) > m {
			break
		}
	}
	return coef
}

// MappedSpectral is the measure of a kernel after a linear map u = Mx of the points: ω = Mᵀω' with
// ω' of the inner measure.
type MappedSpectral interface {
	Spectral
	// Inner is the measure before, and the dimension of its frequencies.
	Inner() (s Spectral, dim int)
	// Pull sets dst = Mᵀw.
	Pull(dst, w []float64)
}

// mappedSpectral is such a measure.
type mappedSpectral struct {
	inner Spectral
	dim   int
	e     embedding
}

// spectralAfter is the measure of k on dim coordinates after a linear map.
func spectralAfter(e embedding, dim int) (Spectral, error) {
	in, err := spectralOf(e.inner, dim)
	if err != nil {
		return nil, err
	}
	return mappedSpectral{in, dim, e}, nil
}

func (s mappedSpectral) Mass() float64          { return s.inner.Mass() }
func (s mappedSpectral) Inner() (Spectral, int) { return s.inner, s.dim }

func (s mappedSpectral) Pull(dst, w []float64) {
	clear(dst)
	s.e.pull(dst, w, dst)
}

func (s mappedSpectral) SampleFrequency(dst []float64, rng *rand.Rand) {
	w := make([]float64, s.dim)
	s.inner.SampleFrequency(w, rng)
	s.Pull(dst, w)
}
