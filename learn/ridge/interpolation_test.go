package ridge

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/internal/learntest"
	"gonum.org/v1/gonum/mat"
)

func TestInterpolation(t *testing.T) {
	x, y := learntest.NoisySinc(40, 10, 0.1, 51)
	m, err := Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Report().Warnings) != 0 {
		t.Error(m.Report().Warnings)
	}
	for i, v := range m.Predict(nil, data.Rows(x)) {
		if math.Abs(v-y[i]) > 1e-9 {
			t.Errorf("f at point %d is %g, want %g", i, v, y[i])
		}
	}
	wide, err := Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.6}}.Fit(context.Background(), data.Rows(x), y)
	if err == nil && len(wide.Report().Warnings) == 0 {
		t.Errorf("no warning at condition number %g", wide.Report().Certificate)
	}
	two := data.Rows(mat.NewDense(2, 1, []float64{1, 1}))
	if _, err := (Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{}}).Fit(context.Background(), two, []float64{1, 2}); err == nil {
		t.Error("one point with two values was interpolated")
	}
}
