package ridge

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// The constrained form is the penalised one at its multiplier: the norm is the bound, residuals
// fall as the bound grows, and an f of smaller norm is no better. A bound that is not reached
// leaves the fit alone.
func TestBounded(t *testing.T) {
	var x data.Slice[kernel.Vec]
	var y []float64
	for i := range 30 {
		at := float64(i) / 5
		x, y = append(x, kernel.Vec{at}), append(y, 2*math.Sin(at)+0.3*math.Cos(float64(7*i)))
	}
	k := kernel.Gaussian{Lengthscale: 0.8}
	error2 := func(m *Regressor[kernel.Vec]) (sum float64) {
		p, err := m.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range p {
			sum += (v - y[i]) * (v - y[i])
		}
		return sum
	}
	norm := func(m *Regressor[kernel.Vec]) float64 {
		f := *m.Func()
		f.Bias = nil
		return f.Norm()
	}
	last := math.Inf(1)
	for _, bound := range []float64{0.5, 1, 2, 4} {
		m, err := Bounded[kernel.Vec]{Regression: Regression[kernel.Vec]{Kernel: k, Intercept: true},
			Bound: bound}.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		if got := norm(m); math.Abs(got-bound) > 1e-6*bound || got > bound*(1+1e-9) {
			t.Errorf("norm %g at a bound of %g", got, bound)
		}
		e := error2(m)
		if !(e < last) {
			t.Errorf("squares %g at a bound of %g, before %g", e, bound, last)
		}
		last = e
		// Among penalised fits, which are the best of their norm, none of at most this norm does
		// better.
		for _, lambda := range []float64{1e-3, 1e-2, 0.1, 1, 10} {
			other, err := Regression[kernel.Vec]{Kernel: k, Intercept: true, Lambda: lambda}.Fit(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			if norm(other) <= bound && error2(other) < e*(1-1e-6) {
				t.Errorf("λ = %g has norm %g and squares %g, below %g", lambda, norm(other), error2(other), e)
			}
		}
	}
	loose, err := Bounded[kernel.Vec]{Regression: Regression[kernel.Vec]{Kernel: k}, Bound: 1e12}.Fit(context.Background(),
		x, y)
	if err != nil || loose.Report().Certificate != 0 {
		t.Errorf("%v, certificate %g", err, loose.Report().Certificate)
	}
	for _, bad := range []float64{-1, 0, math.Inf(1), math.NaN()} {
		if _, err := (Bounded[kernel.Vec]{Regression: Regression[kernel.Vec]{Kernel: k},
			Bound: bad}).Fit(context.Background(), x, y); err == nil {
			t.Errorf("a bound of %g was accepted", bad)
		}
	}
}
