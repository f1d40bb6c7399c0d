package svm

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
		modeltest.Must(Regression[kernel.Vec]{Kernel: k}.Fit(t.Context(), p, y))(t), restoreRegressor[kernel.Vec], p)
	detector := modeltest.Must(OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(t.Context(), p))(t)
	back := modeltest.Must(restoreOneClass(detector.Saved()))(t).(learn.Classifier[kernel.Vec, int])
	for i, inside := range modeltest.Predict(t, detector, p) {
		if code := modeltest.Predict(t, back, p)[i]; (code == 1) != inside {
			t.Errorf("one-class: point %d has code %d, inside %v", i, code, inside)
		}
	}
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.Rows(x)
		savedtest.RoundTrip[int](t, "pairs", modeltest.Must(Classification[kernel.Vec, int]{Kernel: k}.Fit(t.Context(), p,
			code))(t), restoreClassifier[kernel.Vec], p)
		savedtest.RoundTrip[int](t, "one-vs-rest",
			modeltest.Must(Classification[kernel.Vec, int]{Kernel: k, MultiClass: learn.OneVsRest}.Fit(t.Context(), p, code))(t),
			restoreClassifier[kernel.Vec], p)
		savedtest.RoundTrip[int](t, "probability",
			modeltest.Must(Classification[kernel.Vec, int]{Kernel: k, Probability: true}.Fit(t.Context(), p, code))(t),
			restoreClassifier[kernel.Vec], p)
	}
}
