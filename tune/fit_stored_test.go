package tune

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// The last fit takes kernel values from the search, where they are kept by text, and the model is
// one of the kernel itself: no pair of rows is compared twice, and predictions are those of a fit
// from scratch.
func TestLastFitTakesWhatTheSearchCompared(t *testing.T) {
	const n = 60
	for _, l := range []string{"svm", "ridge", "logistic"} {
		var evals atomic.Int64
		p := toy(n, data.Binary, 3)
		s := Search{Problem: p, Probabilities: true,
			Candidates: []Candidate{{Learner: l, Kernel: vec(kernel.Scale(2, kernel.Kernel[kernel.Vec](plainCounted{&evals})))}},
			Protocol:   Protocol{Folds: 3}}
		want := mustRun(t, s)
		s.text = func(k kernel.Kernel[any]) (string, bool) {
			_, ok := kernel.Concrete(k).(plainCounted)
			return "counted", ok
		}
		evals.Store(0)
		got := mustRun(t, s)
		if used := evals.Load(); used == 0 || used > n*n+2*n {
			t.Errorf("%s: %d values of a kernel of %d pairs", l, used, n*n)
		}
		if _, plain := kernel.Concrete(got.Model.Model.Func().Kernel).(kernel.ScaleOf[kernel.Vec]); !plain {
			t.Errorf("%s: the model is of a %T", l, kernel.Concrete(got.Model.Model.Func().Kernel))
		}
		if _, ok := got.Model.Model.(learn.Saver[any]); !ok {
			t.Errorf("%s: a %T cannot be saved", l, got.Model.Model)
		}
		x := toy(20, data.Binary, 4).Points
		a, err := want.Model.PredictAll(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.Model.PredictAll(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Score {
			if math.Abs(a.Score[i]-b.Score[i]) > 5e-3 || math.Abs(a.Prob[i]-b.Prob[i]) > 5e-3 {
				t.Fatalf("%s: score %g with probability %g, from scratch %g and %g", l, b.Score[i], b.Prob[i], a.Score[i],
					a.Prob[i])
			}
		}
	}
}
