package ridge

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestInterpolation(t *testing.T) {
	x, y := learntest.NoisySinc(40, 10, 0.1, 51)
	m, err := Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}}.Fit(context.Background(), data.Rows(x),
		y)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Report().Warnings) != 0 {
		t.Error(m.Report().Warnings)
	}
	for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
		if math.Abs(v-y[i]) > 1e-9 {
			t.Errorf("f at point %d is %g, want %g", i, v, y[i])
		}
	}
	wide, err := Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.6}}.Fit(context.Background(),
		data.Rows(x), y)
	if err == nil && len(wide.Report().Warnings) == 0 {
		t.Errorf("no warning at condition number %g", wide.Report().Certificate)
	}
	two := data.Rows(mat.NewDense(2, 1, []float64{1, 1}))
	if _, err := (Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{}}).Fit(context.Background(), two,
		[]float64{1, 2}); err == nil {
		t.Error("one point with two values was interpolated")
	}
}

// The multiquadric is not positive definite, and goes through every point all the same: in places
// it was not told of it is near a smooth function.
func TestInterpolationByMultiquadric(t *testing.T) {
	n := 60
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	truth := func(a, b float64) float64 { return math.Sin(2*a) + a*b }
	for i := range n {
		a, b := math.Mod(0.618034*float64(i), 1), math.Mod(0.754878*float64(i), 1) // spread evenly
		x.SetRow(i, []float64{a, b})
		y[i] = truth(a, b)
	}
	m, err := Interpolation[kernel.Vec]{Kernel: kernel.Multiquadric{Lengthscale: 0.3}}.Fit(context.Background(),
		data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
		if math.Abs(v-y[i]) > 1e-8 {
			t.Errorf("f at point %d is %g, want %g", i, v, y[i])
		}
	}
	between := data.Slice[kernel.Vec]{{0.5, 0.5}, {0.3, 0.7}, {0.8, 0.2}}
	for i, v := range modeltest.Predict(t, m, between) {
		if want := truth(between[i][0], between[i][1]); math.Abs(v-want) > 0.01 {
			t.Errorf("f between the points is %g, the function is %g", v, want)
		}
	}
	twice := data.Slice[kernel.Vec]{{1, 1}, {1, 1}, {0, 0}}
	if _, err := (Interpolation[kernel.Vec]{Kernel: kernel.Multiquadric{}}).Fit(context.Background(), twice,
		[]float64{1, 2, 3}); err == nil {
		t.Error("one point with two values was interpolated")
	}
	one, err := Interpolation[kernel.Vec]{Kernel: kernel.Multiquadric{}}.Fit(context.Background(),
		data.Slice[kernel.Vec]{{2}}, []float64{7})
	if err != nil || modeltest.Predict(t, one, data.Slice[kernel.Vec]{{2}})[0] != 7 {
		t.Errorf("one point: %v", err)
	}
}
