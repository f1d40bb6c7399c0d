package logistic

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A row of weight 0 has no say in λ where the loss is a mean: the fit is that of the rows without
// it.
func TestPerPointCountsRowsThatCount(t *testing.T) {
	p := learntest.Problem(60, data.Binary, 5)
	weights, keep := make([]float64, 60), []int{}
	for i := range weights {
		if i%3 > 0 {
			weights[i] = 1
			keep = append(keep, i)
		}
	}
	fits := map[string]func(x data.Points[kernel.Vec], y []int, w []float64) (*Classifier[kernel.Vec, int], error){
		"regression": func(x data.Points[kernel.Vec], y []int, w []float64) (*Classifier[kernel.Vec, int], error) {
			return Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 0.01, PerPoint: true,
				Intercept: true, Tol: 1e-11, Weights: w}.Fit(t.Context(), x, y)
		},
		"l1": func(x data.Points[kernel.Vec], y []int, w []float64) (*Classifier[kernel.Vec, int], error) {
			return L1[kernel.Vec, int]{Kernel: kernel.Linear{}, Lambda: 0.01, PerPoint: true, Features: true, Tol: 1e-10,
				Weights: w}.Fit(t.Context(), x, y)
		},
		"path": func(x data.Points[kernel.Vec], y []int, w []float64) (*Classifier[kernel.Vec, int], error) {
			path, err := L1[kernel.Vec, int]{Kernel: kernel.Linear{}, PerPoint: true, Features: true, Tol: 1e-10,
				Weights: w}.Path(t.Context(), x, y, []float64{0.02, 0.01})
			if err != nil {
				return nil, err
			}
			return path.Model(1)
		},
	}
	for name, fit := range fits {
		a, err := fit(p.Points, p.Codes(), weights)
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := fit(data.Gather(p.Points, keep), data.Take(p.Codes(), keep), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		u, err := a.Decision(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Decision(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(u, v, 1e-6) {
			t.Errorf("%s: rows of weight 0 count in λ", name)
		}
	}
}
