package learn_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// refit learns from some rows of x and y: what Calibrate asks for.
type refit = func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error)

// on hands some rows of x and y to fit, whichever classifier it returns.
func on[C learn.Classifier[kernel.Vec, int]](
	x data.Points[kernel.Vec], y []int, fit func(context.Context, data.Points[kernel.Vec], []int) (C, error),
) refit {
	return func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
		labels := make([]int, len(rows))
		for r, i := range rows {
			labels[r] = y[i]
		}
		return fit(ctx, data.Gather(x, rows), labels)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	x, y := learntest.NoisyCorners(60, 3, 1)
	k := kernel.Gaussian{Lengthscale: 1}
	for name, fit := range map[string]refit{
		"values of pairs":          on(x, y, svm.Classification[kernel.Vec, int]{Kernel: k, C: 1}.Fit),
		"probabilities of its own": on(x, y, logistic.Regression[kernel.Vec, int]{Kernel: k}.Fit),
	} {
		m := modeltest.Must(fit(t.Context(), par.Indices(0, 60)))(t)
		if _, err := learn.Calibrate(t.Context(), m, fit, x, y, 1); err == nil {
			t.Errorf("%s: calibrated", name)
		}
	}
}

// A ridge classifier says how sure it is.
func ExampleCalibrate() {
	ctx := context.Background()
	x, y := learntest.NoisyCorners(300, 2, 1)
	fit := on(x, y, ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{},
		Lambda: 1}}.Fit)
	m, err := fit(ctx, par.Indices(0, 300))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := learn.Calibrate(ctx, m, fit, x, y, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	far := data.Rows(mat.NewDense(1, 2, []float64{-3, 0}))
	label, err := c.Predict(ctx, far)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := c.Proba(ctx, far)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("class %d with probability %.2f\n", label[0], p.At(0, 1))
	// Output: class 1 with probability 1.00
}
