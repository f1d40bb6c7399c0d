package sparse

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
	savedtest.RoundTrip[float64](t, "rvm", modeltest.Must(RVM[any]{Kernel: k}.Fit(t.Context(), p, y))(t), restoreRVM, p)
	for _, classes := range []int{2, 3} {
		x, code := learntest.Corners(60, classes, 72)
		p := data.EraseVectors(data.Rows(x))
		savedtest.RoundTrip[int](t, "rvm classification",
			modeltest.Must(RVMClassification[any, int]{Kernel: k}.Fit(t.Context(), p, code))(t), restoreRVMClassifier, p)
	}
}
