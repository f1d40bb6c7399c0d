package stat_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/stat"
)

var line = data.Slice[[]float64]{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}

func ExampleKDE() {
	ctx := context.Background()
	m, err := stat.KDE{Bandwidth: 1}.Fit(ctx, data.Slice[[]float64]{{0}, {2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := m.Density(ctx, nil, data.Slice[[]float64]{{0}, {1}})
	fmt.Printf("%.4f\n", p)
	// Output: [0.2265 0.2420]
}

func ExampleSheatherJones() {
	h, err := stat.SheatherJones([]float64{1, 2, 2.5, 3, 3.2, 4, 4.1, 5, 7})
	fmt.Println(h > 0.2 && h < 2, err)
	// Output: true <nil>
}

func ExampleKNNDensity() {
	m, _ := stat.KNNDensity{K: 2}.Fit(line)
	p, _ := m.LogDensity(context.Background(), nil, data.Slice[[]float64]{{3.5}})
	fmt.Printf("%.4f\n", p) // log(2/(8·2·0.5))
	// Output: [-1.3863]
}

func ExampleFitPosterior() {
	labels := strings.Split("aaaabbbb", "")
	m, _ := stat.FitPosterior(stat.KNNDensity{K: 3}, line, labels, strings.Compare, nil)
	p, _ := m.Posterior(context.Background(), data.Slice[[]float64]{{3}})
	fmt.Printf("%v %.2f\n", m.Classes(), p.Row(0))
	// Output: [a b] [0.67 0.33]
}

func ExampleNadarayaWatson() {
	ctx := context.Background()
	m, _ := stat.NadarayaWatson{Bandwidth: 0.5, TargetBandwidth: 0.2}.Fit(ctx, line, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	y, _ := m.Predict(ctx, nil, data.Slice[[]float64]{{3}})
	c, _ := m.Conditional(ctx, data.Slice[[]float64]{{3}})
	fmt.Printf("%.2f, median %.2f\n", y[0], c[0].Quantile(0.5))
	// Output: 3.00, median 3.00
}

func ExampleLocalRegression() {
	ctx := context.Background()
	m, _ := stat.LocalRegression{Smoother: stat.TriCubeSmoother, Degree: 1, Span: 0.6, Robust: 3}.Fit(ctx, line, []float64{1, 3, 5, 7, 9, 11, 13, 15})
	y, _ := m.Predict(ctx, nil, data.Slice[[]float64]{{2.5}})
	fmt.Printf("%.2f\n", y)
	// Output: [6.00]
}

func ExampleMixture() {
	ctx := context.Background()
	m, _ := stat.Mixture{Components: 2}.Fit(ctx, data.Slice[[]float64]{{-0.1}, {0}, {0.1}, {9.9}, {10}, {10.1}})
	fmt.Printf("%.2f\n", m.Weights())
	// Output: [0.50 0.50]
}

func ExampleMixtureRegression() {
	ctx := context.Background()
	m, _ := stat.MixtureRegression{Mixture: stat.Mixture{Components: 1}}.Fit(ctx, line, []float64{1, 3, 5, 7, 9, 11, 13, 15})
	y, _ := m.Predict(ctx, nil, data.Slice[[]float64]{{2.5}})
	fmt.Printf("%.2f\n", y)
	// Output: [6.00]
}
