package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Natural gradient steps that look back reach the best q in a few dozen, where classes overlap and
// the process may be large, and it is the q that plain steps, to a tolerance far below, end at.
func TestNaturalGradientStepsLookBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(150, 3, nil)
	y := make([]int, 150)
	for i := range y {
		y[i] = i % 2
		for j := range 3 {
			x.Set(i, j, r.NormFloat64()+1.5*float64(y[i]))
		}
	}
	for _, scale := range []float64{1, 30, 1000} {
		fit := SparseClassification[kernel.Vec, int]{Kernel: kernel.Scale(scale, kernel.Gaussian{Lengthscale: 2})}
		want, err := fit.Bound(context.Background(), data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		fit.FixedKernel = true
		m, err := fit.Fit(context.Background(), data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Report()
		t.Logf("scale %g: %d steps to a residual of %.2g, bound %.9f", scale, got.Iterations, got.Certificate, -got.Objective)
		if !got.Converged || got.Iterations > 40 {
			t.Errorf("scale %g: %d steps to a residual of %.2g; want at most 40", scale, got.Iterations, got.Certificate)
		}
		if d := math.Abs(-got.Objective - want.Value); d > 1e-7*math.Abs(want.Value) {
			t.Errorf("scale %g: bound %.12g, to a far lower tolerance %.12g", scale, -got.Objective, want.Value)
		}
	}
}
