package gp

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The weights times the targets are the posterior mean; a fitted mean has them add up to 1.
func TestEquivalentWeightsAreThePosteriorMean(t *testing.T) {
	const n = 30
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, math.Sin(2.3*float64(i))*3)
		y[i] = math.Sin(x.At(i, 0)) + 5
	}
	at := data.Slice[any]{kernel.Vec{0}, kernel.Vec{1.7}, kernel.Vec{-9}}
	for _, zero := range []bool{false, true} {
		m, err := Regression[any]{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}), Noise: 0.05, FixedNoise: true,
			FitMean: !zero, HyperOptions: HyperOptions{FixedKernel: true}}.Fit(t.Context(), data.EraseVectors(data.Rows(x)), y)
		if err != nil {
			t.Fatal(err)
		}
		restored, err := restoreRegressor(m.Saved())
		if err != nil {
			t.Fatal(err)
		}
		h, err := restored.(*Regressor[any]).EquivalentWeights(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Predict(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range at {
			got, sum := 0.0, 0.0
			for j, v := range h.RawRowView(i) {
				got, sum = got+v*y[j], sum+v
			}
			if math.Abs(got-want[i]) > 1e-9 {
				t.Errorf("zero mean %v at %v: %g, want %g", zero, at[i], got, want[i])
			}
			if !zero && math.Abs(sum-1) > 1e-9 || zero && i == 2 && math.Abs(sum) > 1e-6 {
				t.Errorf("zero mean %v at %v: the weights add up to %g", zero, at[i], sum)
			}
		}
	}
}
