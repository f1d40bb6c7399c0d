package ridge

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The weights times the targets are the predictions, with weights and intercept too; with an
// intercept they add up to 1.
func TestEquivalentWeightsAreTheFit(t *testing.T) {
	const n = 25
	x, y, w := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		a := float64(i)
		x.SetRow(i, []float64{math.Sin(1.3 * a), math.Cos(2.1 * a)})
		y[i], w[i] = x.At(i, 0)*x.At(i, 1)+3, 1+math.Mod(a, 3)
	}
	at := data.Slice[kernel.Vec]{{0, 0}, {0.4, -0.2}, {2, 1}}
	for _, r := range []Regression[kernel.Vec]{
		{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 0.1},
		{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 0.1, Intercept: true, Weights: w},
		{Kernel: kernel.Linear{}, Lambda: 0.3, Intercept: true},
	} {
		h, err := r.EquivalentWeights(t.Context(), data.Rows(x), at)
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Fit(t.Context(), data.Rows(x), y)
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
				t.Errorf("%+v at %v: %g, want %g", r, at[i], got, want[i])
			}
			if r.Intercept && math.Abs(sum-1) > 1e-9 {
				t.Errorf("%+v at %v: the weights add up to %g", r, at[i], sum)
			}
		}
	}
}

// On a fine grid, away from its ends, the weights tend to the equivalent kernel of the continuum,
// whose Fourier transform is S/(S + λ/ρ) with S the spectral density and ρ the points per length
// (Sollich and Williams 2005). For e^{-|r|/ℓ}, S = 2ℓ/(1 + ℓ²ω²), it is again an exponential, of
// height 1/(aℓ²·2b)·2ℓ and decay b with a = λ/ρ and b² = (2ℓ + a)/(aℓ²).
func TestEquivalentWeightsOfTheContinuum(t *testing.T) {
	const n, length, lambda = 401, 0.5, 2.0
	step := 8.0 / (n - 1)
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, -4+step*float64(i))
	}
	h, err := Regression[kernel.Vec]{Kernel: kernel.Laplace{Lengthscale: length},
		Lambda: lambda}.EquivalentWeights(t.Context(), data.Rows(x), data.Slice[kernel.Vec]{{0}})
	if err != nil {
		t.Fatal(err)
	}
	a := lambda * step
	b := math.Sqrt((2*length + a) / (a * length * length))
	for i := range n {
		r := math.Abs(x.At(i, 0))
		want := 2 * length / (2 * a * length * length * b) * math.Exp(-b*r) * step
		if r < 1.5 && math.Abs(h.At(0, i)-want) > 0.01*2*length/(2*a*length*length*b)*step {
			t.Errorf("at a distance of %g: %g, the continuum has %g", r, h.At(0, i), want)
		}
	}
}

func TestEquivalentWeightsRefuse(t *testing.T) {
	if _, err := (Regression[kernel.Vec]{Kernel: kernel.Linear{}}).EquivalentWeights(t.Context(), nil, nil); err == nil {
		t.Error("no points were taken")
	}
}
