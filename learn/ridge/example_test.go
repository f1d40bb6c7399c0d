package ridge_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

func ExampleRegression() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{1, 3, 5, 7, 9}
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-6, Intercept: true}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{10}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	fmt.Println(m.Report().Learner, m.Report().Certificate < 1e-12)
	// Output:
	// [21.000]
	// ridge (primal) true
}

// A model that answers row after row writes into the same memory each time. What it cannot answer
// is an error that names the row.
func ExampleRegressor_PredictTo() {
	ctx := context.Background()
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(ctx, data.Line([]float64{0, 1, 2}),
		[]float64{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	dst := make([]float64, 2)
	fmt.Println(m.PredictTo(ctx, dst, data.Slice[kernel.Vec]{{0.5}, {1.5}}))
	fmt.Println(m.PredictTo(ctx, dst, data.Slice[kernel.Vec]{{0.5}, {1.5, 7}}))
	// Output:
	// <nil>
	// row 1 has 2 coordinates, row 0 has 1
}

func ExampleRegression_Path() {
	x := data.Rows(mat.NewDense(6, 1, []float64{0, 1, 2, 3, 4, 5}))
	y := []float64{0, 0.8, 0.9, 0.1, -0.8, -1}
	path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}.Path(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	lambda, _, err := path.Best([]float64{0.001, 0.1, 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lambda)
	// Output:
	// 0.001
}

func ExampleClassification() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	c := ridge.Classification[kernel.Vec, string]{Regression: ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{},
		Intercept: true}}
	m, err := c.Fit(ctx, x, []string{"cold", "cold", "warm", "warm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Line([]float64{-3, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output:
	// [cold warm]
}

func ExampleInterpolation() {
	ctx := context.Background()
	x := data.Line([]float64{0, 1, 2})
	m, err := ridge.Interpolation[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, []float64{1, -1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	// Output:
	// [1.000 -1.000 4.000]
}

// A straight line has no curvature and so costs nothing, however large λ is.
func ExampleThinPlate() {
	x := data.Slice[kernel.Vec]{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.5, 0.5}}
	// a plate held at its corners, its middle lifted
	m, err := ridge.ThinPlate{Lambda: 1e-6}.Fit(context.Background(), x, []float64{0, 0, 0, 0, 1})
	if err != nil {
		panic(err)
	}
	y, err := m.Predict(context.Background(), data.Slice[kernel.Vec]{{0.5, 0.5}, {0.5, 0.25}, {0.5, 0}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", y)
	// Output: [1.00 0.76 0.37]
}

func ExampleSpline() {
	ctx := context.Background()
	m, err := ridge.Spline{Lambda: 1e6}.Fit(ctx, data.Line([]float64{0, 1, 2, 3}), []float64{0, 1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Line([]float64{1.5, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	// Output:
	// [1.500 5.000]
}
