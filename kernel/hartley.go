package kernel

import "math"

// Hartley is cos⟨x, y⟩ + sin⟨x, y⟩ = √2·sin(⟨x, y⟩ + π/4): the functions that random Fourier
// features are made of. With frequencies ±ω as centres they span the cosine and the sine of ⟨ω, x⟩,
// and for frequencies from the spectral measure of a stationary kernel k
//
//	k(x, y) = ½ E [h(ω, x)h(ω, y) + h(-ω, x)h(-ω, y)].
//
// It is no positive definite kernel itself: h(x, x) is that of ‖x‖².
type Hartley struct{}

// Name is "hartley".
func (Hartley) Name() string { return "hartley" }

// Eval returns cos⟨x, y⟩ + sin⟨x, y⟩.
func (Hartley) Eval(x, y Vec) float64 { return hartley(Inner.Between(x, y)) }

func hartley(z float64) float64 { return math.Sqrt2 * math.Sin(z+math.Pi/4) }

// Metric is the inner product.
func (Hartley) Metric() Metric { return Inner }

// Profile maps z to cos z + sin z.
func (Hartley) Profile(m []float64) { mapInPlace(m, hartley) }

// ProfileGrad gives cos z - sin z.
func (Hartley) ProfileGrad(dm []float64, _ [][]float64, m []float64) {
	for i, z := range m {
		dm[i] = math.Sqrt2 * math.Cos(z+math.Pi/4)
	}
}

// Properties of a function that is bounded by √2 and not positive definite.
func (Hartley) Properties() Properties {
	p := finiteFeatures(math.Sqrt2)
	p.PSD = No
	return p
}
