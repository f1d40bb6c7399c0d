package prob

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// Divergence is a way to tell distributions apart whose square root is a distance in a Hilbert
// space.
type Divergence int

// The divergences of Hilbertian.
const (
	Hellinger      Divergence = iota // ½ Σ (√p - √q)²
	JensenShannon                    // (H((p+q)/2) - (H(p)+H(q))/2)/ln 2, H the entropy
	ChiSquare                        // ½ Σ (p-q)²/(p+q)
	TotalVariation                   // ½ Σ |p-q|
)

var divergenceNames = [...]string{"hellinger", "jensenshannon", "chisquare", "totalvariation"}

// String is the name of the divergence.
func (d Divergence) String() string {
	if d < 0 || int(d) >= len(divergenceNames) {
		return fmt.Sprintf("Divergence(%d)", int(d))
	}
	return divergenceNames[d]
}

// Hilbertian is 1 less a divergence between histograms, all of which lie in [0, 1],
//
//	k(p, q) = 1 - D(p, q) = Σ √(pᵢqᵢ)                                       Hellinger
//	        = -Σ (pᵢ ln(pᵢ/(pᵢ+qᵢ)) + qᵢ ln(qᵢ/(pᵢ+qᵢ)))/(2 ln 2)           Jensen–Shannon
//	        = Σ 2pᵢqᵢ/(pᵢ+qᵢ)                                               χ²
//	        = Σ min(pᵢ, qᵢ)                                                 total variation,
//
// D = Of (Hein & Bousquet 2005). Each D is half the squared distance of k, so that
// kernel.Substitute(kernel.Gaussian{…}, k) is exp(-D/ℓ²). The entropy kernel on measures of Cuturi,
// Fukumizu & Vert (2005) is SemigroupEntropy.
type Hilbertian struct {
	Of Divergence
}

// Name is "hilbertian".
func (Hilbertian) Name() string { return "hilbertian" }

// Eval returns 1 - D(p, q).
func (k Hilbertian) Eval(x, y kernel.Vec) float64 {
	s := 0.0
	for i, p := range x {
		q := y[i]
		switch k.Of {
		case JensenShannon:
			s -= (part(p, q) + part(q, p)) / (2 * math.Ln2)
		case ChiSquare:
			if p+q > 0 {
				s += 2 * p * q / (p + q)
			}
		case TotalVariation:
			s += min(p, q)
		default:
			s += math.Sqrt(p * q)
		}
	}
	return s
}

// part is p·ln(p/(p+q)), 0 at p = 0.
func part(p, q float64) float64 {
	if p == 0 {
		return 0
	}
	return p * math.Log(p/(p+q))
}

// Validate refuses an unknown divergence.
func (k Hilbertian) Validate() error {
	if k.Of < Hellinger || k.Of > TotalVariation {
		return fmt.Errorf("kernel: hilbertian: no %v (there are: hellinger, jensenshannon, chisquare, totalvariation)", k.Of)
	}
	return nil
}

// CheckPoints refuses what is no distribution.
func (Hilbertian) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkHistograms("hilbertian", x)
}

// Properties of these kernels.
func (Hilbertian) Properties() kernel.Properties {
	p := field.Discrete(1 + 1e-6) // sums are 1 up to that
	p.Continuous = kernel.Yes
	return p
}
