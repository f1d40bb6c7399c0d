package smoothing

import (
	"math"
	"testing"
)

// Nodes and weights of few points in closed form (Abramowitz and Stegun, 25.4.29 and table 25.4).
func TestLegendreInClosedForm(t *testing.T) {
	for n, want := range map[int]quadrature{
		1: {[]float64{0}, []float64{2}},
		2: {[]float64{-1 / math.Sqrt(3), 1 / math.Sqrt(3)}, []float64{1, 1}},
		3: {[]float64{-math.Sqrt(0.6), 0, math.Sqrt(0.6)}, []float64{5.0 / 9, 8.0 / 9, 5.0 / 9}},
		4: {[]float64{-0.861136311594053, -0.339981043584856, 0.339981043584856, 0.861136311594053},
			[]float64{0.347854845137454, 0.652145154862546, 0.652145154862546, 0.347854845137454}},
	} {
		got := legendre(n)
		for i := range n {
			if math.Abs(got.nodes[i]-want.nodes[i]) > 2e-15 || math.Abs(got.weights[i]-want.weights[i]) > 2e-15 {
				t.Errorf("%d nodes: %v", n, got)
			}
		}
	}
}

// A rule of n nodes is exact for every power below 2n, and its nodes are in order and between the
// ends.
func TestLegendreIsExactForPolynomials(t *testing.T) {
	for _, n := range []int{1, 2, 5, 12, 24, 32, 100, 101} {
		q := legendre(n)
		for i := range n {
			if !(q.nodes[i] > -1 && q.nodes[i] < 1 && q.weights[i] > 0) || i > 0 && !(q.nodes[i] > q.nodes[i-1]) {
				t.Fatalf("%d nodes: %v", n, q)
			}
		}
		for k := range 2 * n {
			want := 1 / float64(k+1)
			if got := integrate(func(x float64) float64 { return math.Pow(x, float64(k)) }, 0, 1,
				n); math.Abs(got-want) > 2e-15 {
				t.Errorf("%d nodes, power %d: %g, want %g", n, k, got, want)
			}
		}
	}
	if got := integrate(math.Exp, -1, 3, 24); math.Abs(got-(math.Exp(3)-math.Exp(-1))) > 1e-13 {
		t.Errorf("exp: %g", got)
	}
}
