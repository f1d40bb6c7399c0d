package shapley

import "gonum.org/v1/gonum/integrate/quad"

// Products shares the values of product games
//
//	v(S) = Π_{j∈S} aⱼ · Π_{j∉S} bⱼ
//
// of a number of players. Their multilinear extension is Πⱼ (bⱼ + qⱼ(aⱼ-bⱼ)), so that
//
//	φⱼ = (aⱼ-bⱼ) ∫₀¹ Π_{l≠j} (b_l + q(a_l-b_l)) dq,
//
// and Gauss–Legendre quadrature in ⌈d/2⌉ nodes is exact, for a polynomial of degree d-1: O(d²) for
// all players. Elementary symmetric polynomials take the same time (M. Mohammadi, S. L. Chau, K.
// Muandet, Computing exact Shapley values in polynomial time for product-kernel methods, 2025, for
// the game in which a factor that is not known is 1, bⱼ = 1); they are alternating sums, where this
// adds numbers of one sign if all factors have it.
type Products struct {
	node, weight []float64
	factor, left []float64
}

// NewProducts is for games of d players. It is not for several goroutines at once.
func NewProducts(d int) *Products {
	m := max((d+1)/2, 1)
	p := &Products{node: make([]float64, m), weight: make([]float64, m), factor: make([]float64, d),
		left: make([]float64, d)}
	quad.Legendre{}.FixedLocations(p.node, p.weight, 0, 1)
	return p
}

// Add adds the shares of the game of a and b to share.
func (p *Products) Add(share, a, b []float64) {
	switch len(a) {
	case 0:
		return
	case 1:
		share[0] += a[0] - b[0]
		return
	}
	for k, q := range p.node {
		before := p.weight[k]
		for j, v := range b {
			p.factor[j], p.left[j] = v+q*(a[j]-v), before
			before *= p.factor[j]
		}
		after := 1.0
		for j := len(a) - 1; j >= 0; j-- {
			share[j] += (a[j] - b[j]) * p.left[j] * after
			after *= p.factor[j]
		}
	}
}
