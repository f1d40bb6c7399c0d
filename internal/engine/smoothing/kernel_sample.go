package smoothing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Sample fills u with a draw from the kernel in len(u) dimensions.
func (s Kernel) Sample(u []float64, product bool, rng *rand.Rand) {
	d := len(u)
	if s == Gaussian {
		for j := range u {
			u[j] = rng.NormFloat64()
		}
		return
	}
	if product || d == 1 {
		for j := range u {
			u[j] = s.radius(1, rng)
			if rng.Uint64()&1 == 0 {
				u[j] = -u[j]
			}
		}
		return
	}
	norm := 0.0
	for norm == 0 {
		for j := range u {
			u[j] = rng.NormFloat64()
			norm += u[j] * u[j]
		}
	}
	r := s.radius(d, rng) / math.Sqrt(norm)
	for j := range u {
		u[j] *= r
	}
}

// radius draws r with density proportional to r^{d-1}·shape(r). Powers of r
// have a Beta or Gamma distribution for all kernels but two, which are drawn by
// rejection: cos(πr/2) ≤ 1-r² is accepted at least with probability π/4, and
// the logistic kernel lies below 4e^{-r} with a ratio of at least ¼.
func (s Kernel) radius(d int, rng *rand.Rand) float64 {
	n := float64(d)
	beta := func(a, b float64) float64 { return distuv.Beta{Alpha: a, Beta: b, Src: rng}.Rand() }
	switch s {
	case Epanechnikov:
		return math.Sqrt(beta(n/2, 2))
	case Biweight:
		return math.Sqrt(beta(n/2, 3))
	case Triweight:
		return math.Sqrt(beta(n/2, 4))
	case TriCube:
		return math.Cbrt(beta(n/3, 4))
	case Triangular:
		return beta(n, 2)
	case Boxcar:
		return math.Pow(rng.Float64(), 1/n)
	case Cosine:
		for {
			r := math.Sqrt(beta(n/2, 2))
			if rng.Float64()*(1-r*r) <= math.Cos(math.Pi/2*r) {
				return r
			}
		}
	case Logistic:
		for {
			r := distuv.Gamma{Alpha: n, Beta: 1, Src: rng}.Rand()
			if e := 1 + math.Exp(-r); rng.Float64()*e*e <= 1 {
				return r
			}
		}
	case Exponential:
		return distuv.Gamma{Alpha: n, Beta: 1, Src: rng}.Rand()
	}
	return math.Sqrt(distuv.ChiSquared{K: n, Src: rng}.Rand())
}
