package linalg

import "math"

// look is when the Ritz pairs were last looked at, which decomposes H, and what was seen.
type look struct {
	products, basis int     // then
	above           float64 // the largest residual, in units of what is wanted; 0 before the first look
	due             int     // the basis at which another is expected to tell that all is well
}

// after is the look at a basis that found residuals so far above what is wanted. They shrink by
// about a constant factor for each vector once they begin to; three quarters of the way to where
// that would be enough is the time for another, since they shrink the faster the further they are.
func (l look) after(products, basis int, above float64) look {
	out := look{products: products, basis: basis, above: above}
	wait := float64(basis) / 2
	if rate := math.Log(l.above/above) / float64(basis-l.basis); rate > 0 && !math.IsInf(rate, 0) {
		wait = min(wait, 0.75*math.Log(above)/rate)
	}
	out.due = basis + int(max(wait, 1))
	return out
}

// What a decomposition of H costs, in multiplications of a product with A: lookPrice·m²·(m +
// lookStart). Up to patience times that is spent on products in the expectation that a look would
// be in vain.
const (
	lookPrice = 8
	lookStart = 40
	patience  = 4
)

// spareLook says whether another block is better than a look at the Ritz pairs of this basis: it is
// while the products since the last look cost less than that, or not much more and none is due, and
// there is room for one more block and nothing to decide.
func (s *lanczos) spareLook() bool {
	if s.m+s.next.Rows > s.o.MaxBasis || s.coupling.Rows == 0 || s.invariant || s.products >= s.o.MaxProducts ||
		s.n <= s.o.DenseLimit && s.products >= 2*s.n {
		return false
	}
	m := float64(s.m)
	spent, price := float64(s.products-s.looked.products)*float64(s.n)*float64(s.n), lookPrice*m*m*(m+lookStart)
	return spent < price || s.m < s.looked.due && spent < patience*price
}
