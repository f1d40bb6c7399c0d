package rbf

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// On a normalised basis the coefficients minimise ½Σ(y - Φβ - b)² + (λ/2)‖β‖² with φⱼ = kⱼ/Σk: the
// gradient is 0 at them, and a prediction is the formula's. Constants are fitted exactly, wherever
// centres lie, as the basis sums to 1.
func TestNormalisedBasis(t *testing.T) {
	var x data.Slice[kernel.Vec]
	var y []float64
	for i := range 40 {
		at := float64(i) / 4
		x, y = append(x, kernel.Vec{at}), append(y, math.Sin(at)+0.1*math.Cos(float64(5*i)))
	}
	ctx, k := context.Background(), kernel.Gaussian{Lengthscale: 0.4}
	c := Normalised[kernel.Vec]{Network[kernel.Vec]{Kernel: k,
		Options: Options{Centers: 6, Choice: RandomCenters, Seed: 4, Lambda: 0.01, Tol: 1e-12}}}
	m, err := c.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func()
	phi := func(p kernel.Vec) []float64 {
		out, sum := make([]float64, f.Centers.Len()), 0.0
		for j := range out {
			out[j] = k.Eval(f.Centers.At(j), p)
			sum += out[j]
		}
		for j := range out {
			out[j] /= sum
		}
		return out
	}
	said, err := m.Predict(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	gradient, slope := make([]float64, f.Centers.Len()), 0.0
	bias := math.NaN()
	for i := range x {
		v := 0.0
		for j, p := range phi(x[i]) {
			v += p * f.Coef.At(j, 0)
		}
		if i == 0 {
			bias = said[0] - v
		}
		if math.Abs(said[i]-v-bias) > 1e-10 {
			t.Fatalf("row %d is %g, want %g + %g", i, said[i], v, bias)
		}
		for j, p := range phi(x[i]) {
			gradient[j] += p * (said[i] - y[i])
		}
		slope += said[i] - y[i]
	}
	for j, g := range gradient {
		if g += 0.01 * f.Coef.At(j, 0); math.Abs(g) > 1e-6 {
			t.Errorf("gradient %g of coefficient %d", g, j)
		}
	}
	if math.Abs(slope) > 1e-6 {
		t.Errorf("slope %g of the bias", slope)
	}
	if _, err := (Normalised[kernel.Vec]{Network[kernel.Vec]{Kernel: kernel.Linear{}}}).Fit(ctx,
		data.Slice[kernel.Vec]{{1}, {-1}, {2}}, []float64{1, 2, 3}); err == nil {
		t.Error("a kernel below 0 was accepted")
	}
}
