package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The square less 1 is the scaled squared distance, and the reciprocal is the rational quadratic
// kernel of α = ½.
func TestMultiquadricIsHardys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		x, y, l := Vec{rng.NormFloat64(), rng.NormFloat64()}, Vec{rng.NormFloat64(), rng.NormFloat64()}, 0.2+rng.Float64()
		got, d := Multiquadric{l}.Eval(x, y), (x[0]-y[0])*(x[0]-y[0])+(x[1]-y[1])*(x[1]-y[1])
		if math.Abs(got*got-1-d/(l*l)) > 1e-12*got*got {
			t.Errorf("k² - 1 is %g, want %g", got*got-1, d/(l*l))
		}
		if inverse := (RationalQuadratic{Alpha: 0.5, Lengthscale: l}).Eval(x, y); math.Abs(got*inverse-1) > 1e-12 {
			t.Errorf("times the inverse multiquadric: %g", got*inverse)
		}
	}
}

// Micchelli (1986): at distinct points the matrix has one positive eigenvalue, and no other that is
// not negative.
func TestMultiquadricHasOnePositiveEigenvalue(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, d := range []int{1, 2, 5} {
		const n = 12
		x := make([]Vec, n)
		for i := range x {
			x[i] = make(Vec, d)
			for j := range x[i] {
				x[i][j] = 3 * rng.NormFloat64()
			}
		}
		g := mat.NewSymDense(n, nil)
		for i := range x {
			for j := range i + 1 {
				g.SetSym(i, j, Multiquadric{0.7}.Eval(x[i], x[j]))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(g, false) {
			t.Fatal("no eigenvalues")
		}
		v := e.Values(nil)
		if !(v[n-1] > 0) || !(v[n-2] < 0) {
			t.Errorf("in %d dimensions: eigenvalues %v", d, v)
		}
	}
}
