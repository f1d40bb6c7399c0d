package learn

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// TestFourMachinesOnSinc is the regression comparison of the notes: noisy sinc, N = 100, RBF
// width 0.3 (inputs in ±1), ε = 0.1. The prices λ and C are chosen by five-fold
// cross-validation for all machines that have one (the notes do so for the SVM only; at
// their λ = 0.5 the L1VM of our scaling keeps 4 points, fewer than the RVM, at four times its error).
func TestFourMachinesOnSinc(t *testing.T) {
	ctx := context.Background()
	x, y := noisySinc(100, 10, 0.1, 41)
	test, truth := noisySinc(401, 10, 0, 41)
	x.Scale(0.1, x)
	test.Scale(0.1, test)
	k := kernel.Gaussian{Lengthscale: 0.3}
	type machine interface {
		Regressor[kernel.Vec]
		Support() []int
	}
	fits := map[string]func(price float64, x data.Points[kernel.Vec], y []float64) (machine, error){
		"L2VM": func(p float64, x data.Points[kernel.Vec], y []float64) (machine, error) {
			return L2VM[kernel.Vec]{Kernel: k, VectorMachineOptions: VectorMachineOptions{Lambda: p}}.Fit(ctx, x, y)
		},
		"L1VM": func(p float64, x data.Points[kernel.Vec], y []float64) (machine, error) {
			return L1VM[kernel.Vec]{Kernel: k, VectorMachineOptions: VectorMachineOptions{Lambda: p, Tol: 1e-4}}.Fit(ctx, x, y)
		},
		"RVM": func(_ float64, x data.Points[kernel.Vec], y []float64) (machine, error) {
			return RVM[kernel.Vec]{Kernel: k}.Fit(ctx, x, y)
		},
		"SVR": func(p float64, x data.Points[kernel.Vec], y []float64) (machine, error) {
			return SVR[kernel.Vec]{Kernel: k, C: 1 / p, Epsilon: 0.1}.Fit(ctx, x, y)
		},
	}
	crossValidated := func(fit func(float64, data.Points[kernel.Vec], []float64) (machine, error), price float64) float64 {
		sum := 0.0
		for fold := range 5 {
			var in, out []int
			var yIn []float64
			for i, v := range y {
				if i%5 == fold {
					out = append(out, i)
				} else {
					in, yIn = append(in, i), append(yIn, v)
				}
			}
			m, err := fit(price, data.Gather(data.Points[kernel.Vec](data.Rows(x)), in), yIn)
			if err != nil {
				t.Fatal(err)
			}
			for a, v := range m.Predict(nil, data.Gather(data.Points[kernel.Vec](data.Rows(x)), out)) {
				sum += (v - y[out[a]]) * (v - y[out[a]])
			}
		}
		return sum
	}
	kept, rmse := map[string]int{}, map[string]float64{}
	for name, fit := range fits {
		price, least := 0.5, math.Inf(1)
		for _, p := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3} {
			if name == "RVM" {
				break
			}
			if e := crossValidated(fit, p); e < least {
				price, least = p, e
			}
		}
		m, err := fit(price, data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		s := 0.0
		for i, v := range m.Predict(nil, data.Rows(test)) {
			s += (v - truth[i]) * (v - truth[i])
		}
		kept[name], rmse[name] = len(m.Support()), math.Sqrt(s/401)
		t.Logf("%s: RMSE %.4f, %d vectors, price %g", name, rmse[name], kept[name], price)
	}
	for name := range fits {
		if name != "RVM" && kept[name] <= kept["RVM"] {
			t.Errorf("%s keeps %d points, the RVM %d", name, kept[name], kept["RVM"])
		}
		if rmse[name] > 0.1 {
			t.Errorf("%s has RMSE %g", name, rmse[name])
		}
	}
}
