package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
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
	mass   float64
	sample func(dst []float64, rng *rand.Rand)
}

func (s spectral) SampleFrequency(dst []float64, rng *rand.Rand) { s.sample(dst, rng) }
func (s spectral) Mass() float64                                 { return s.mass }

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
	switch k := k.(type) {
	case Gaussian:
		return gaussMixture(orOne(k.Lengthscale), func(*rand.Rand) float64 { return 1 }), nil
	case Laplace:
		return studentT(0.5, orOne(k.Lengthscale)), nil
	case Matern:
		return studentT(k.Nu, orOne(k.Lengthscale)), nil
	case RationalQuadratic:
		a := orOne(k.Alpha)
		return gaussMixture(orOne(k.Lengthscale), func(rng *rand.Rand) float64 { return gammaSample(rng, a) / a }), nil
	case LaplaceL1:
		l := orOne(k.Lengthscale)
		return independent{1, func(u float64) float64 { return math.Tan(math.Pi*(u-0.5)) / l }}, nil // Cauchy
	case Sinc:
		a := orOne(k.Bandwidth)
		return independent{1, func(u float64) float64 { return a * (2*u - 1) }}, nil
	case Periodic:
		return periodicMeasure(k), nil
	case Theta:
		return harmonics(1, k.coef()), nil
	case Fourier:
		return harmonics(1, k.Coef), nil
	case ConstantOf[Vec]:
		return spectral{k.C, func(dst []float64, _ *rand.Rand) { clear(dst) }}, nil
	case ScaleOf[Vec]:
		in, err := spectralOf(k.Kernel, dim)
		if err != nil {
			return nil, err
		}
		return spectral{k.Factor * in.Mass(), in.SampleFrequency}, nil
	case NormalizeOf[Vec]:
		in, err := spectralOf(k.Kernel, dim)
		if err != nil {
			return nil, err
		}
		return spectral{1, in.SampleFrequency}, nil
	case SumOf[Vec]:
		return mixture(k.Terms, dim)
	case ProductOf[Vec]:
		return convolution(k.Factors, dim)
	case PowerOf[Vec]:
		in, err := spectralOf(k.Kernel, dim)
		if err != nil {
			return nil, err
		}
		return spectral{intPower(in.Mass(), k.Exponent), repeated(in, func(*rand.Rand) int { return k.Exponent })}, nil
	case PowersOf[Vec]:
		in, err := spectralOf(k.Kernel, dim)
		if err != nil {
			return nil, err
		}
		return powerSeries(in, k.Coef), nil
	case ExpOf[Vec]:
		in, err := spectralOf(k.Kernel, dim)
		if err != nil {
			return nil, err
		}
		return powerSeries(in, exponentialCoef(in.Mass())), nil
	case OnColumns:
		in, err := spectralOf(k.Kernel, len(k.Columns))
		if err != nil {
			return nil, err
		}
		return linearImage(in, k.embedding(), len(k.Columns)), nil
	case ARD:
		return pulledBack(k.Kernel, k.embedding(), dim)
	case Mahalanobis:
		return pulledBack(k.Kernel, k.embedding(), dim)
	case Stationarity:
		return k.SpectralMeasure(dim)
	}
	if n, ok := k.(Named); ok {
		return nil, fmt.Errorf("kernel: %s has no spectral measure (it is not stationary, or its measure is not known)", n.Name())
	}
	return nil, fmt.Errorf("kernel: %T has no spectral measure (it is not stationary, or its measure is not known)", k)
}

// gaussMixture samples ω ~ N(0, τ/ℓ² I), τ random.
func gaussMixture(l float64, tau func(*rand.Rand) float64) Spectral {
	return spectral{1, func(dst []float64, rng *rand.Rand) {
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

// harmonics is the measure on the multiples l·w, l in Z, with weights coef[|l|]. Both signs are there:
// the cosine of a sum of several coordinates is a product of cosines only on average over them.
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

// periodicMeasure has the Fourier coefficients of exp(-2sin²(t/2)/ℓ²), by the
// trapezoidal rule, which is exact to rounding for a smooth periodic function.
func periodicMeasure(k Periodic) Spectral {
	l := orOne(k.Lengthscale)
	n := max(64, int(16/l)+1)
	coef := make([]float64, n)
	for j := range coef {
		for i := range 4 * n {
			t := 2 * math.Pi * float64(i) / float64(4*n)
			s := math.Sin(t / 2)
			coef[j] += math.Exp(-2*s*s/(l*l)) * math.Cos(float64(j)*t) / float64(4*n)
		}
		coef[j] = max(coef[j], 0)
	}
	m := harmonics(2*math.Pi/orOne(k.Period), coef)
	m.mass = 1 // what the coefficients sum to, but for rounding
	return m
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

// mixture is the measure of a sum.
func mixture(ks []Kernel[Vec], dim int) (Spectral, error) {
	parts, weight, total := make([]Spectral, len(ks)), make([]float64, len(ks)), 0.0
	for i, k := range ks {
		s, err := spectralOf(k, dim)
		if err != nil {
			return nil, err
		}
		parts[i], weight[i] = s, s.Mass()
		total += weight[i]
	}
	return spectral{total, func(dst []float64, rng *rand.Rand) {
		parts[choose(weight, total, rng)].SampleFrequency(dst, rng)
	}}, nil
}

// convolution is the measure of a product: the sum of independent frequencies. The
// measures are symmetric, so a random sign stands for the conjugate half.
func convolution(ks []Kernel[Vec], dim int) (Spectral, error) {
	parts, mass := make([]Spectral, len(ks)), 1.0
	for i, k := range ks {
		s, err := spectralOf(k, dim)
		if err != nil {
			return nil, err
		}
		parts[i] = s
		mass *= s.Mass()
	}
	return spectral{mass, func(dst []float64, rng *rand.Rand) { addFrequencies(dst, parts, rng) }}, nil
}

func addFrequencies(dst []float64, parts []Spectral, rng *rand.Rand) {
	clear(dst)
	one := make([]float64, len(dst))
	for _, s := range parts {
		s.SampleFrequency(one, rng)
		sign := 1.0
		if rng.Uint64()&1 == 1 {
			sign = -1
		}
		for i, v := range one {
			dst[i] += sign * v
		}
	}
}

// repeated adds a random number of independent frequencies.
func repeated(in Spectral, count func(*rand.Rand) int) func([]float64, *rand.Rand) {
	return func(dst []float64, rng *rand.Rand) {
		parts := make([]Spectral, count(rng))
		for i := range parts {
			parts[i] = in
		}
		addFrequencies(dst, parts, rng)
	}
}

// powerSeries is the measure of Σ aₙkⁿ.
func powerSeries(in Spectral, coef []float64) Spectral {
	weight, total, p := make([]float64, len(coef)), 0.0, 1.0
	for n, a := range coef {
		weight[n] = a * p
		total += weight[n]
		p *= in.Mass()
	}
	return spectral{total, repeated(in, func(rng *rand.Rand) int { return choose(weight, total, rng) })}
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

// pulledBack is the measure after a linear map u = Mx of the points: ω = Mᵀω'.
func pulledBack(k Kernel[Vec], e embedding, dim int) (Spectral, error) {
	in, err := spectralOf(k, dim)
	if err != nil {
		return nil, err
	}
	return linearImage(in, e, dim), nil
}

func linearImage(in Spectral, e embedding, inner int) Spectral {
	return spectral{in.Mass(), func(dst []float64, rng *rand.Rand) {
		w := make([]float64, inner)
		in.SampleFrequency(w, rng)
		clear(dst)
		e.pull(dst, w, dst)
	}}
}
