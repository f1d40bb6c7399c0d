package features

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A factor before the kernel and before λ changes nothing: stochastic steps beside an intercept of
// 1 learnt nothing else from small features.
func TestUnitOfTheKernel(t *testing.T) {
	p := learntest.Problem(300, data.Binary, 1)
	for _, logarithmic := range []bool{false, true} {
		values := func(factor float64) []float64 {
			c := Classification[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](factor, kernel.Gaussian{}), Loss: Hinge,
				Lambda: 0.1 * factor, Intercept: true, Passes: 3}
			var f *mat.Dense
			if logarithmic {
				c.Loss = Squares // which Logistic does not look at
				f = modeltest.Decision(t, modeltest.Must(Logistic[kernel.Vec, int]{c}.Fit(t.Context(), p.Points, p.Codes()))(t),
					p.Points)
			} else {
				f = modeltest.Decision(t, modeltest.Must(c.Fit(t.Context(), p.Points, p.Codes()))(t), p.Points)
			}
			out := make([]float64, p.Len())
			for i := range out {
				out[i] = f.At(i, 0)
			}
			return out
		}
		want := values(1)
		for _, factor := range []float64{1e-6, 1e6} {
			for i, v := range values(factor) {
				if math.Abs(v-want[i]) > 1e-8*(1+math.Abs(want[i])) {
					t.Fatalf("logistic %v, %g times the kernel: decision value %d is %.10g, with the kernel itself %.10g", logarithmic,
						factor, i, v, want[i])
				}
			}
		}
	}
}
