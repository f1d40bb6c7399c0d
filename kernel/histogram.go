package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// ChiSquare is exp(-γ Σ(xᵢ-yᵢ)²/(xᵢ+yᵢ)) on vectors with entries ≥ 0 (0/0 = 0),
// γ = Gamma (1 when zero).
type ChiSquare struct {
	Gamma float64
}

// Name is "chi2".
func (ChiSquare) Name() string { return "chi2" }

// Eval returns exp(-γ χ²(x, y)).
func (k ChiSquare) Eval(x, y Vec) float64 {
	return math.Exp(-orOne(k.Gamma) * ChiSqDist.Between(x, y))
}

// Metric is the χ² distance.
func (ChiSquare) Metric() Metric { return ChiSqDist }

// Profile maps r to e^{-γr}.
func (k ChiSquare) Profile(m []float64) { expScale(m, -orOne(k.Gamma)) }

// Profile32 is Profile in single precision.
func (k ChiSquare) Profile32(m []float32) { expScale32(m, -float32(orOne(k.Gamma))) }

// ProfileGrad gives -γκ and -rκ.
func (k ChiSquare) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	exponentialSlopes(dm, dtheta[0], m, -orOne(k.Gamma), -1)
}

// Params is γ.
func (k ChiSquare) Params() []Param { return []Param{positive("chi2.gamma", orOne(k.Gamma))} }

// With sets γ.
func (ChiSquare) With(theta []float64) Kernel[Vec] { return ChiSquare{theta[0]} }

// Validate refuses γ < 0.
func (k ChiSquare) Validate() error { return mustBePositive("chi2", "gamma", k.Gamma) }

// CheckPoints refuses negative entries.
func (ChiSquare) CheckPoints(x data.Points[Vec]) error { return checkNonNegative("chi2", x) }

// AdditiveChiSquare is Σ 2xᵢyᵢ/(xᵢ+yᵢ) on vectors with entries ≥ 0 (0/0 = 0).
// Since 2xy/(x+y) = (x+y)/2 - (x-y)²/(2(x+y)), it is (Σx + Σy - χ²)/2.
type AdditiveChiSquare struct{}

// Name is "addchi2".
func (AdditiveChiSquare) Name() string { return "addchi2" }

// Eval returns Σ 2xᵢyᵢ/(xᵢ+yᵢ).
func (AdditiveChiSquare) Eval(x, y Vec) float64 {
	s := 0.0
	for i, v := range x {
		if t := v + y[i]; t != 0 {
			s += 2 * v * y[i] / t
		}
	}
	return s
}

// InputGrad sets dst to 2yᵢ²/(xᵢ+yᵢ)².
func (AdditiveChiSquare) InputGrad(dst, x, y Vec) {
	for i, v := range x {
		dst[i] = 0
		if t := v + y[i]; t != 0 {
			q := y[i] / t
			dst[i] = 2 * q * q
		}
	}
}

// CheckPoints refuses negative entries.
func (AdditiveChiSquare) CheckPoints(x data.Points[Vec]) error {
	return checkNonNegative("addchi2", x)
}

// Intersection is the histogram intersection Σ min(xᵢ, yᵢ) on vectors with
// entries ≥ 0.
type Intersection struct{}

// Name is "intersection".
func (Intersection) Name() string { return "intersection" }

// Eval returns Σ min(xᵢ, yᵢ).
func (Intersection) Eval(x, y Vec) float64 { return MinSum.Between(x, y) }

// Metric is the intersection itself.
func (Intersection) Metric() Metric { return MinSum }

// Profile is the identity.
func (Intersection) Profile([]float64) {}

// Profile32 is the identity.
func (Intersection) Profile32([]float32) {}

// ProfileGrad is 1.
func (Intersection) ProfileGrad(dm []float64, _ [][]float64, _ []float64) {
	for i := range dm {
		dm[i] = 1
	}
}

// CheckPoints refuses negative entries.
func (Intersection) CheckPoints(x data.Points[Vec]) error { return checkNonNegative("intersection", x) }

func checkNonNegative(name string, x data.Points[Vec]) error {
	for i := range x.Len() {
		for j, v := range x.At(i) {
			if v < 0 {
				return fault.Errorf("kernel", "%s: row %d, column %d is %g; histograms have no negative entries", name, i, j, v)
			}
		}
	}
	return nil
}

// Properties of the χ² kernel, on vectors with entries ≥ 0.
func (ChiSquare) Properties() Properties {
	return Properties{PSD: Yes, Continuous: Yes, Stationary: No, Isotropic: No, Bound: 1, Smoothness: math.NaN(),
		Analytic: Yes}
}

// Properties of the additive χ² kernel.
func (AdditiveChiSquare) Properties() Properties {
	p := Intersection{}.Properties()
	p.Analytic = Yes
	return p
}

// Properties of histogram intersection.
func (Intersection) Properties() Properties {
	return Properties{PSD: Yes, Continuous: Yes, Stationary: No, Isotropic: No, Bound: math.Inf(1), Smoothness: 0,
		Analytic: No}
}

func (ChiSquare) checksEntries()         {}
func (AdditiveChiSquare) checksEntries() {}
func (Intersection) checksEntries()      {}

func (AdditiveChiSquare) sparse(leaf sparseLeaf) Kernel[data.SparseVec] { return sparseAdditive{leaf} }
