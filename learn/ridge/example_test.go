package ridge_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

func ExampleRidge() {
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{1, 3, 5, 7, 9}
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-6, Intercept: true}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", m.Predict(nil, data.Rows(mat.NewDense(1, 1, []float64{10}))))
	fmt.Println(m.Report().Learner, m.Report().Certificate < 1e-12)
	// Output:
	// [21.000]
	// ridge (primal) true
}

func ExampleRidge_Path() {
	x := data.Rows(mat.NewDense(6, 1, []float64{0, 1, 2, 3, 4, 5}))
	y := []float64{0, 0.8, 0.9, 0.1, -0.8, -1}
	path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}.Path(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	lambda, _, err := path.Best([]float64{0.001, 0.1, 10})
	fmt.Println(lambda, err)
	// Output:
	// 0.001 <nil>
}

func ExampleRidgeClassifier() {
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	c := ridge.Classification[kernel.Vec, string]{Regression: ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Intercept: true}}
	m, err := c.Fit(context.Background(), x, []string{"cold", "cold", "warm", "warm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, data.Rows(mat.NewDense(2, 1, []float64{-3, 3}))))
	// Output:
	// [cold warm]
}

func ExampleSmoothingSpline() {
	m, err := ridge.Spline{Lambda: 1e6}.Fit(context.Background(), []float64{0, 1, 2, 3}, []float64{0, 1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", m.Predict(nil, []float64{1.5, 5})) // a line costs nothing
	// Output:
	// [1.500 5.000]
}
