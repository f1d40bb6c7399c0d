package forest_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	grow "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// steps is 60 points on a line, and a target with two steps.
func steps() (data.Points[kernel.Vec], []float64, []string) {
	x, y, label := make([]float64, 60), make([]float64, 60), make([]string, 60)
	for i := range x {
		x[i] = float64(i) / 10
		y[i], label[i] = float64(i/20), []string{"low", "middle", "high"}[i/20]
	}
	return data.Line(x), y, label
}

func ExampleRegression() {
	ctx := context.Background()
	x, y, _ := steps()
	m, err := forest.Regression{Growth: grow.Growth{Trees: 50}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{1, 3, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values, m.OutOfBag().Score > 0.9)
	// Output: [0 1 2] true
}

func ExampleClassification() {
	ctx := context.Background()
	x, _, label := steps()
	m, err := forest.Classification[string]{}.Fit(ctx, x, label)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Line([]float64{1, 3, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [low middle high]
}

// A forest that was grown is a kernel, for any learner: here ridge regression, on rows that did not
// grow it.
func ExampleRegressor_Forest() {
	ctx := context.Background()
	x, y, _ := steps()
	m, err := forest.Regression{}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fresh := data.Line([]float64{0.5, 1.5, 2.5, 3.5, 4.5, 5.5})
	r, err := ridge.Regression[kernel.Vec]{Kernel: m.Forest(), Lambda: 1e-6, Intercept: true}.Fit(ctx, fresh,
		[]float64{10, 10, 20, 20, 30, 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := r.Predict(ctx, data.Line([]float64{1, 3, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	// Output: [10.000 20.000 30.000]
}
