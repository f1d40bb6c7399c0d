package smooth_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/smooth"
)

var line = data.Slice[[]float64]{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}

func ExampleNadarayaWatson() {
	ctx := context.Background()
	m, _ := smooth.NadarayaWatson{Bandwidth: 0.5, TargetBandwidth: 0.2}.Fit(ctx, line, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	y, _ := m.Predict(ctx, data.Slice[[]float64]{{3}})
	c, _ := m.Conditional(ctx, data.Slice[[]float64]{{3}})
	fmt.Printf("%.2f, median %.2f\n", y[0], c[0].Quantile(0.5))
	// Output: 3.00, median 3.00
}

func ExampleLocalRegression() {
	ctx := context.Background()
	m, _ := smooth.LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.6, Robust: 3}.Fit(ctx, line,
		[]float64{1, 3, 5, 7, 9, 11, 13, 15})
	y, _ := m.Predict(ctx, data.Slice[[]float64]{{2.5}})
	fmt.Printf("%.2f\n", y)
	// Output: [6.00]
}

func ExampleMixtureRegression() {
	ctx := context.Background()
	m, _ := smooth.MixtureRegression{Mixture: density.Mixture{Components: 1}}.Fit(ctx, line,
		[]float64{1, 3, 5, 7, 9, 11, 13, 15})
	y, _ := m.Predict(ctx, data.Slice[[]float64]{{2.5}})
	fmt.Printf("%.2f\n", y)
	// Output: [6.00]
}
