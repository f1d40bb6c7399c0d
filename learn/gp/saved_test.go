package gp

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
)

func TestRestoredModelIsTheSame(t *testing.T) {
	x, y := learntest.Wave(40, 2, 71)
	p, k := data.EraseVectors(data.Rows(x)), kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	savedtest.RoundTrip[float64](t, "regression",
		modeltest.Must(Regression[any]{Kernel: k, FitMean: true}.Fit(t.Context(), p, y))(t), restoreRegressor, p)
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.EraseVectors(data.Rows(x))
		savedtest.RoundTrip[int](t, "classification",
			modeltest.Must(Classification[any, int]{Kernel: k, HyperOptions: HyperOptions{FixedKernel: true}}.Fit(t.Context(), p,
				code))(t), restoreClassifier, p)
	}
}
