package ridge

import (
	"errors"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// The methods that hold no matrix find what the factorisation does: weights, intercept, several
// outputs; the same bits with any number of threads.
func TestMethodsWithoutAMatrix(t *testing.T) {
	p := learntest.Problem(150, data.Regression, 31)
	y := mat.NewDense(150, 2, nil)
	for i, v := range p.Y {
		y.SetRow(i, []float64{v, v * v})
	}
	k := kernel.Gaussian{Lengthscale: 0.8}
	for _, intercept := range []bool{false, true} {
		for _, weights := range [][]float64{nil, learntest.WeightsWith(150, 7, 0), learntest.WeightsWith(150, 7, 3)} {
			r := Regression[kernel.Vec]{Kernel: k, Lambda: 0.2, Intercept: intercept, Weights: weights, Method: Cholesky}
			exact, err := r.FitMulti(t.Context(), p.Points, y)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := exact.PredictMulti(t.Context(), p.Points)
			for _, method := range []Method{CG, ASkotch} {
				var first *mat.Dense
				for _, threads := range []int{1, 7} {
					r.Method, r.Tol, r.Threads, r.Seed = method, 1e-10, threads, 5
					m, err := r.FitMulti(t.Context(), p.Points, y)
					if err != nil {
						t.Fatal(err)
					}
					got, _ := m.PredictMulti(t.Context(), p.Points)
					if first == nil {
						first = got
					}
					if rep := m.Report(); !mat.EqualApprox(got, want, 1e-8) || !mat.Equal(first, got) || !rep.Converged ||
						rep.Certificate > 1e-9 {
						t.Errorf("%v, intercept %v, %d threads: %+v", method, intercept, threads, rep)
					}
				}
			}
		}
	}
	var over *learn.OverBudget
	if _, err := (Regression[kernel.Vec]{Kernel: k, Method: ASkotch,
		Resources: learn.Resources{Bytes: 100}}).Fit(t.Context(), p.Points, p.Y); !errors.As(err, &over) {
		t.Error(err)
	}
}
