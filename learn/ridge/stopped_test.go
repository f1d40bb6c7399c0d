package ridge

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// TestStoppedKeepsTheIterate: when the context ends in the iterations there is a model of the last
// one, for values and for classes, and before the first there is none.
func TestStoppedKeepsTheIterate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 400
	x, y, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]string, n)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = math.Sin(2 * x.At(i, 0))
		labels[i] = map[bool]string{true: "a", false: "b"}[y[i] > 0]
	}
	for _, method := range []Method{CG, ASkotch} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Lambda: 1e-4, Intercept: true, Method: method,
			Tol: 1e-12, Rank: 20, Resources: learn.Resources{Trace: func(s trace.Step) {
				if s.Iteration == 3 {
					stop()
				}
			}}}
		_, err := r.Fit(ctx, data.Rows(x), y)
		var stopped *learn.Stopped[kernel.Vec]
		if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Fatalf("%v: %v", method, err)
		}
		if report := stopped.Model.Report(); report.Converged || !(report.Certificate > 1e-12 && report.Certificate < 1) {
			t.Errorf("%v: %+v", method, report)
		}
		ctx, stop = context.WithCancel(t.Context())
		defer stop()
		_, err = Classification[kernel.Vec, string]{Regression: r}.Fit(ctx, data.Rows(x), labels)
		if !errors.As(err, &stopped) {
			t.Fatalf("%v, classes: %v", method, err)
		}
		if c, ok := stopped.Model.(*Classifier[kernel.Vec, string]); !ok || len(c.Classes()) != 2 {
			t.Errorf("%v: a %T", method, stopped.Model)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := r.Fit(ended, data.Rows(x), y); errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, ended before: %v", method, err)
		}
	}
}
