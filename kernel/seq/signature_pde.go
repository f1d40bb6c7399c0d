package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// SignaturePDE is the inner product of the whole signatures of two paths, all levels of them:
// u(1, 1) of the Goursat problem
//
//	∂²u/∂s∂t = ⟨x'(s), y'(t)⟩·u,   u(0, t) = u(s, 0) = 1
//
// (C. Salvi et al., The signature kernel is the solution of a Goursat PDE, SIMODS 2021), for the
// paths of straight lines through the steps. The right-hand side is constant in the cell of two
// steps, where u is solved to rounding by its power series. With Grid > 0 it is solved instead on a
// grid that cuts each step into Grid parts, by their scheme of second order: with Δ the product of
// two increments,
//
//	u(i+1, j+1) = (u(i+1, j) + u(i, j+1))·(1 + Δ/2 + Δ²/12) - u(i, j)·(1 - Δ²/12).
//
// Its error falls as 1/Grid², and by that much its Gram matrices may have negative eigenvalues.
// Scale and Static are those of Signature. A series of one step or none has the value 1 with all
// series. Values grow as e^{2√(length of x · length of y)}: scale long paths down.
type SignaturePDE struct {
	Grid   int
	Scale  float64
	Static kernel.Kernel[kernel.Vec]
}

// Name is "sigpde".
func (SignaturePDE) Name() string { return "sigpde" }

// Eval returns ⟨S(x), S(y)⟩.
func (k SignaturePDE) Eval(x, y Series) float64 {
	if mismatched(x, y) {
		return math.NaN()
	}
	if x.less(y) {
		x, y = y, x
	}
	nabla := increments(x, y, or(k.Scale, 1), k.Static)
	if k.Grid > 0 {
		return goursatGrid(nabla, k.Grid)
	}
	return goursatSeries(nabla)
}

// PreparePoints takes the pairs as they are: their increments are products of both.
func (k SignaturePDE) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, func(s Series) Series { return s }, k.Eval)
}

// Params are Scale and the parameters of the static kernel.
func (k SignaturePDE) Params() []kernel.Param {
	return append([]kernel.Param{positive("sigpde.scale", or(k.Scale, 1))}, staticParams(k.Static)...)
}

// With sets Scale and the parameters of the static kernel.
func (k SignaturePDE) With(theta []float64) kernel.Kernel[Series] {
	k.Scale, k.Static = theta[0], staticWith(k.Static, theta[1:])
	return k
}

// Validate refuses a grid < 0 and Scale < 0, and asks the static kernel.
func (k SignaturePDE) Validate() error {
	return firstError(
		mustBe(k.Grid >= 0, "sigpde", "grid", k.Grid, "at least 1, or 0 for none"),
		mustBe(k.Scale >= 0 && finite(k.Scale), "sigpde", "scale", k.Scale, "a finite number > 0"),
		staticValid(k.Static))
}

// CheckPoints refuses numbers that are not finite, different channels, and steps that the static
// kernel refuses.
func (k SignaturePDE) CheckPoints(x data.Points[Series]) error {
	return checkStatic("sigpde", k.Static, or(k.Scale, 1), x)
}

// Properties of an inner product of signatures; that of the grid is one only up to its error.
func (k SignaturePDE) Properties() kernel.Properties {
	p := staticProperties(k.Static)
	if k.Grid > 0 {
		p.PSD = kernel.No
	}
	return p
}
