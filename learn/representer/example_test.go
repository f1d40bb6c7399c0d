package representer_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/representer"
	"github.com/mercer-ml/mercer/rkhs"
)

// The absolute loss has medians for its values: a wild one is left alone.
func ExampleRegression() {
	x := data.Line([]float64{1, 1, 1, 1, 1})
	m, _ := representer.Regression[kernel.Vec]{Kernel: kernel.Gaussian{},
		Loss: rkhs.AbsoluteLoss{}}.Fit(context.Background(), x, []float64{3, 4, 5, 6, 900})
	p, _ := m.Predict(context.Background(), x)
	fmt.Printf("%.2f\n", p[0])
	// Output: 5.00
}
