package forest_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
)

// Points are alike where the target does not tell them apart, however far they lie.
func ExampleSupervised() {
	x := data.Line([]float64{0, 1, 2, 50, 51, 99})
	f, _, err := forest.Supervised{Growth: forest.Growth{Trees: 10, Sampling: forest.AllRows}}.Fit(context.Background(), x,
		[]float64{3, 3, 3, 7, 7, 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Eval(kernel.Vec{50}, kernel.Vec{99}), f.Eval(kernel.Vec{2}, kernel.Vec{50}))
	// Output: 1 0
}

// The more trees, the nearer to exp(-λ·|x - y|).
func ExampleMondrian() {
	x := data.Line([]float64{0, 1, 2})
	f, err := forest.Mondrian{Trees: 2000, Lifetime: 0.5}.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", f.Eval(kernel.Vec{0}, kernel.Vec{1})) // e^-0.5 = 0.607
	// Output: 0.6
}

func ExampleIsolation() {
	x := data.Line([]float64{1, 2, 3, 4, 5, 6, 7, 8, 90})
	f, err := forest.Isolation{}.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	score, err := f.Anomaly(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(score[8] > 0.7, score[4] < 0.5)
	// Output: true true
}
