package density_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
)

var line = data.Slice[[]float64]{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}

func ExampleKDE() {
	ctx := context.Background()
	m, err := density.KDE{Bandwidth: 1}.Fit(ctx, data.Slice[[]float64]{{0}, {2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := m.Density(ctx, data.Slice[[]float64]{{0}, {1}})
	fmt.Printf("%.4f\n", p)
	// Output: [0.2265 0.2420]
}

func ExampleSheatherJones() {
	h, err := density.SheatherJones([]float64{1, 2, 2.5, 3, 3.2, 4, 4.1, 5, 7})
	fmt.Println(h > 0.2 && h < 2, err)
	// Output: true <nil>
}

func ExampleKNN() {
	m, _ := density.KNN{K: 2}.Fit(context.Background(), line)
	p, _ := m.LogDensity(context.Background(), data.Slice[[]float64]{{3.5}})
	fmt.Printf("%.4f\n", p) // log(2/(8·2·0.5))
	// Output: [-1.3863]
}

func ExampleKNNPosterior() {
	labels := strings.Split("aaaabbbb", "")
	m, _ := density.KNNPosterior[string]{K: 3}.Fit(context.Background(), line, labels)
	p, _ := m.Posterior(context.Background(), data.Slice[[]float64]{{3}})
	fmt.Printf("%v %.2f\n", m.Classes(), p.RawRowView(0))
	// Output: [a b] [0.67 0.33]
}

func ExampleMixture() {
	ctx := context.Background()
	m, _ := density.Mixture{Components: 2}.Fit(ctx, data.Slice[[]float64]{{-0.1}, {0}, {0.1}, {9.9}, {10}, {10.1}})
	fmt.Printf("%.2f\n", m.Proportions())
	// Output: [0.50 0.50]
}
