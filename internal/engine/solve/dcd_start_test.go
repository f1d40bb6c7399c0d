package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// Coordinate descent that begins at the coefficients of another price ends at the same optimum, in
// fewer passes where the prices are near.
func TestDCDFromAnotherPrice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := linalg.New[float64](80, 6)
	y := make([]float64, 80)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		for j := range 6 {
			m.Set(i, j, rng.NormFloat64()+0.3*y[i])
		}
	}
	x := solve.DenseLinear(m, 1)
	for _, squared := range []bool{true, false} {
		fit := func(c float64, start []float64) *solve.DCDResult {
			r, err := solve.DCD(context.Background(), x, y, slices.Repeat([]float64{c}, 80),
				solve.DCDOptions{SquaredHinge: squared, Tol: 1e-9, MaxIterations: 100000, Start: start})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		cold := fit(1, nil)
		for _, from := range []float64{0.9, 3} { // with a price below, coefficients may be above their bound
			warm := fit(1, fit(from, nil).Alpha)
			for j, w := range cold.W {
				if math.Abs(warm.W[j]-w) > 1e-6 {
					t.Errorf("squared %v, from the price %g: weight %d is %g, not %g", squared, from, j, warm.W[j], w)
				}
			}
			if math.Abs(warm.Primal+warm.Dual) > 1e-6 {
				t.Errorf("squared %v, from %g: objectives %g and %g", squared, from, warm.Primal, -warm.Dual)
			}
		}
		if again := fit(1, cold.Alpha); 4*again.Iterations > cold.Iterations {
			t.Errorf("squared %v: %d passes from the optimum, %d from nothing", squared, again.Iterations, cold.Iterations)
		}
	}
}
