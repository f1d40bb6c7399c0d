package ridge

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

func TestRestoredModelIsTheSame(t *testing.T) {
	x, y := learntest.Wave(40, 2, 71)
	p, k := data.Rows(x), kernel.Gaussian{Lengthscale: 1}
	savedtest.RoundTrip[float64](t, "regression",
		modeltest.Must(Regression[kernel.Vec]{Kernel: k, Intercept: true}.Fit(t.Context(), p, y))(t),
		restoreRegressor[kernel.Vec], p)
	line := data.Line([]float64{0, 1, 3, 4, 7})
	spline := learn.OnVectors(modeltest.Must(Spline{Lambda: 0.1}.Fit(t.Context(), line, []float64{1, 0, 2, 1, 5}))(t))
	savedtest.RoundTrip[float64](t, "spline", spline.(learn.Saver[any]), restoreSpline, data.Erase[kernel.Vec](line))
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.Rows(x)
		savedtest.RoundTrip[int](t, "classification",
			modeltest.Must(Classification[kernel.Vec, int]{Regression: Regression[kernel.Vec]{Kernel: k}}.Fit(t.Context(), p,
				code))(t), restoreClassifier[kernel.Vec], p)
	}
}
