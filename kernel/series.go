package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Taylor is the power series kernel Σ aₙ⟨x, y⟩ⁿ with aₙ = Coef[n] ≥ 0, on the
// ball ‖x‖² < Radius (no bound when zero): a finite sum, or the first terms of a series
// that converges for |z| < Radius.
type Taylor struct {
	Coef   []float64
	Radius float64
}

// Name is "taylor".
func (Taylor) Name() string { return "taylor" }

// Eval returns Σ aₙ⟨x, y⟩ⁿ.
func (k Taylor) Eval(x, y Vec) float64 { return horner(k.Coef, Inner.Between(x, y)) }

// Metric is the inner product.
func (Taylor) Metric() Metric { return Inner }

// Profile maps z to Σ aₙzⁿ.
func (k Taylor) Profile(m []float64) {
	for i, z := range m {
		m[i] = horner(k.Coef, z)
	}
}

// ProfileGrad gives the derivatives by z and by each coefficient, zⁿ.
func (k Taylor) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	for i, z := range m {
		dm[i] = hornerSlope(k.Coef, z)
		p := 1.0
		for n := range k.Coef {
			dtheta[n][i] = p
			p *= z
		}
	}
}

// Params are the coefficients.
func (k Taylor) Params() []Param {
	params := make([]Param, len(k.Coef))
	for n, a := range k.Coef {
		params[n] = nonNegative(fmt.Sprintf("taylor.coef[%d]", n), a)
	}
	return params
}

// With sets the coefficients.
func (k Taylor) With(theta []float64) Kernel[Vec] {
	return Taylor{append([]float64(nil), theta...), k.Radius}
}

// Validate refuses negative coefficients and a negative radius.
func (k Taylor) Validate() error {
	if len(k.Coef) == 0 {
		return fault.Errorf("kernel", "taylor: no coefficients")
	}
	for n, a := range k.Coef {
		if err := mustBeNonNegative("taylor", fmt.Sprintf("coef[%d]", n), a); err != nil {
			return err
		}
	}
	if k.Radius < 0 || math.IsNaN(k.Radius) {
		return fault.Errorf("kernel", "taylor: radius = %g, want > 0, or 0 for no bound", k.Radius)
	}
	return nil
}

// CheckPoints refuses points outside the ball ‖x‖² < Radius.
func (k Taylor) CheckPoints(x data.Points[Vec]) error {
	if k.Radius == 0 || math.IsInf(k.Radius, 1) {
		return nil
	}
	return checkBall("taylor", x, k.Radius)
}

func checkBall(name string, x data.Points[Vec], radius float64) error {
	for i := range x.Len() {
		p := x.At(i)
		if s := Inner.Between(p, p); !(s < radius) {
			return fault.Errorf("kernel",
				"%s: row %d has ‖x‖² = %g, outside the ball ‖x‖² < %g where the series converges (scale the points)", name, i, s,
				radius)
		}
	}
	return nil
}

// Binomial is (1 - ⟨x, y⟩)^(-α) on the open unit ball, α = Alpha > 0 (1 when
// zero): the Taylor series kernel with aₙ = C(α+n-1, n).
type Binomial struct {
	Alpha float64
}

// Name is "binomial".
func (Binomial) Name() string { return "binomial" }

// Eval returns (1 - ⟨x, y⟩)^(-α).
func (k Binomial) Eval(x, y Vec) float64 {
	return math.Exp(-orOne(k.Alpha) * math.Log1p(-Inner.Between(x, y)))
}

// Metric is the inner product.
func (Binomial) Metric() Metric { return Inner }

// Profile maps z to (1-z)^(-α).
func (k Binomial) Profile(m []float64) { powerOfOnePlus(m, -1, -orOne(k.Alpha)) }

// ProfileGrad gives the derivatives by z and α.
func (k Binomial) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	a := orOne(k.Alpha)
	for i, z := range m {
		l := math.Log1p(-z)
		v := math.Exp(-a * l)
		dm[i], dtheta[0][i] = a*v/(1-z), -l*v
	}
}

// Params is α.
func (k Binomial) Params() []Param { return []Param{positive("binomial.alpha", orOne(k.Alpha))} }

// With sets α.
func (Binomial) With(theta []float64) Kernel[Vec] { return Binomial{theta[0]} }

// Validate refuses α < 0.
func (k Binomial) Validate() error { return mustBePositive("binomial", "alpha", k.Alpha) }

// CheckPoints refuses points outside the open unit ball.
func (k Binomial) CheckPoints(x data.Points[Vec]) error { return checkBall("binomial", x, 1) }

// Properties of a polynomial in the inner product.
func (k Taylor) Properties() Properties {
	p := finiteFeatures(math.Inf(1))
	if k.Radius > 0 && !math.IsInf(k.Radius, 1) {
		p.Bound = horner(k.Coef, k.Radius)
	}
	return p
}

// Properties of the binomial kernel, on the unit ball.
func (k Binomial) Properties() Properties { return Exponential{}.Properties() }

func (Taylor) checksEntries()   {}
func (Binomial) checksEntries() {}
