package logistic

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
)

func TestRestoredModelIsTheSame(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1}
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.Rows(x)
		savedtest.RoundTrip[int](t, "regression",
			modeltest.Must(Regression[kernel.Vec, int]{Kernel: k, Intercept: true}.Fit(t.Context(), p, code))(t),
			restoreClassifier[kernel.Vec], p)
		savedtest.RoundTrip[int](t, "l1", modeltest.Must(L1[kernel.Vec, int]{Kernel: k}.Fit(t.Context(), p, code))(t),
			restoreClassifier[kernel.Vec], p)
	}
}
