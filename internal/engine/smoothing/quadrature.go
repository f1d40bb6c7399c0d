package smoothing

import (
	"math"
	"sync"
)

// quadrature is a rule ∫₋₁¹ f = Σ wᵢ f(xᵢ).
type quadrature struct{ nodes, weights []float64 }

var rules sync.Map // by the number of nodes

// legendre is the rule of Gauss and Legendre with n nodes, exact for polynomials below degree 2n:
// its nodes are the zeros of Legendre's polynomial Pₙ, found by Newton's iteration from Tricomi's
// cosines, its weights 2/((1-x²)·Pₙ'(x)²).
func legendre(n int) quadrature {
	if q, ok := rules.Load(n); ok {
		return q.(quadrature)
	}
	q := quadrature{make([]float64, n), make([]float64, n)}
	for i := range (n + 1) / 2 {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		if 2*i+1 == n {
			x = 0 // in the middle
		}
		var slope float64
		for range 10 {
			var value float64
			value, slope = legendrePolynomial(n, x)
			step := value / slope
			x -= step
			if math.Abs(step) <= 1e-16 {
				break
			}
		}
		_, slope = legendrePolynomial(n, x)
		w := 2 / ((1 - x) * (1 + x) * slope * slope)
		q.nodes[i], q.nodes[n-1-i] = -x, x
		q.weights[i], q.weights[n-1-i] = w, w
	}
	rules.Store(n, q)
	return q
}

// legendrePolynomial is Pₙ(x) and its derivative by the recurrence k·Pₖ = (2k-1)·x·Pₖ₋₁ -
// (k-1)·Pₖ₋₂.
func legendrePolynomial(n int, x float64) (value, slope float64) {
	before, value := 0.0, 1.0
	for k := 1; k <= n; k++ {
		before, value = value, (float64(2*k-1)*x*value-float64(k-1)*before)/float64(k)
	}
	return value, float64(n) * (x*value - before) / ((x - 1) * (x + 1))
}

// integrate is ∫ f from a to b by the rule with n nodes.
func integrate(f func(float64) float64, a, b float64, n int) float64 {
	q := legendre(n)
	half, middle := (b-a)/2, (b+a)/2
	sum := 0.0
	for i, x := range q.nodes {
		sum += q.weights[i] * f(middle+half*x)
	}
	return half * sum
}
