package neighbours

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
	p, k := data.Rows(x), kernel.Gaussian{Lengthscale: 1}
	savedtest.RoundTrip[float64](t, "regression",
		modeltest.Must(Regression[kernel.Vec]{Kernel: k}.Fit(t.Context(), p, y))(t), restoreRegressor[kernel.Vec], p)
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.Rows(x)
		savedtest.RoundTrip[int](t, "weighted classification",
			modeltest.Must(Classification[kernel.Vec, int]{Kernel: k, Options: Options{K: 3, Weighted: true}}.Fit(t.Context(), p,
				code))(t), restoreClassifier[kernel.Vec], p)
	}
}
