package rkhs

import (
	"math"
	"math/cmplx"
)

// The rules by which operations on a function become operations on its Fourier coefficients, of
// period 2π; a function of period T is f(2πx/T), and its derivatives have a factor 2π/T each.
// Results are in the space of f, if its kernel has the coefficients.

// Shift is x ↦ f(x - by): f̂_l e^{-il·by}. Its norm is that of f, as the kernel looks the same from
// everywhere.
func (f *CircleFunc) Shift(by float64) *CircleFunc {
	out := make([]complex128, len(f.Coef))
	for l, c := range f.Coef {
		out[l] = c * cmplx.Rect(1, -float64(l)*by)
	}
	if len(out) > 0 {
		out[0] = f.Coef[0]
	}
	return &CircleFunc{f.Space, out}
}

// Derivative is f′: il·f̂_l.
func (f *CircleFunc) Derivative() *CircleFunc {
	out := make([]complex128, len(f.Coef))
	for l, c := range f.Coef {
		out[l] = complex(0, float64(l)) * c
	}
	return &CircleFunc{f.Space, out}
}

// Mirror is x ↦ f(-x): conj f̂_l, since f is real. An even function has real coefficients, an odd
// one imaginary ones.
func (f *CircleFunc) Mirror() *CircleFunc {
	out := make([]complex128, len(f.Coef))
	for l, c := range f.Coef {
		out[l] = cmplx.Conj(c)
	}
	return &CircleFunc{f.Space, out}
}

// L2Inner is (1/2π)∫ f·g = Σ_{l∈Z} f̂_l·conj(ĝ_l) (Parseval), in whatever spaces they are.
func (f *CircleFunc) L2Inner(g *CircleFunc) float64 {
	s := 0.0
	for l := range min(len(f.Coef), len(g.Coef)) {
		p := real(f.Coef[l] * cmplx.Conj(g.Coef[l]))
		if l > 0 {
			p *= 2 // l and -l
		}
		s += p
	}
	return s
}

// DerivativeAt is f⁽ⁿ⁾(x) = ⟨f, ∂ⁿk(·, x)/∂xⁿ⟩: evaluation of a derivative is an inner product,
// too, with the n-th derivative of the kernel by its second argument, whose coefficients are k̂_l
// (-il)ⁿ e^{-ilx}.
func (f *CircleFunc) DerivativeAt(x float64, n int) float64 {
	g := f
	for range n {
		g = g.Derivative()
	}
	return g.At(math.Mod(x, 2*math.Pi))
}
