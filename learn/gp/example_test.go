package gp_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"gonum.org/v1/gonum/mat"
)

// Between the data the process is sure of its mean; far from them it is as unsure as before it saw
// any.
func ExampleRegression() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{0, 0.84, 0.91, 0.14, -0.76}
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.01, FixedNoise: true}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := data.Rows(mat.NewDense(2, 1, []float64{1.5, 40}))
	mean, err := m.Predict(ctx, at)
	if err != nil {
		fmt.Println(err)
		return
	}
	variance, err := m.Variance(ctx, at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.1f\n", mean[0])
	fmt.Printf("variance %.1f\n", variance)
	// Output:
	// mean 1.0
	// variance [0.0 1.0]
}

// Three functions that the process holds possible after it has seen the data: all go through it.
func ExampleRegressor_Sample() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(3, 1, []float64{0, 1, 2}))
	g := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 1e-4, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}
	m, err := g.Fit(ctx, x, []float64{1, -1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	draws, err := m.Sample(ctx, x, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", mat.Formatted(draws))
	// Output:
	// ⎡ 1.0  -1.0   1.0⎤
	// ⎢ 1.0  -1.0   1.0⎥
	// ⎣ 1.0  -1.0   1.0⎦
}

// Far from all points a classifier knows nothing, and says so.
func ExampleClassification() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3}))
	c := gp.Classification[kernel.Vec, string]{Kernel: kernel.Scale[kernel.Vec](4, kernel.Gaussian{}),
		HyperOptions: gp.HyperOptions{FixedKernel: true}}
	m, err := c.Fit(ctx, x, []string{"left", "left", "left", "right", "right", "right"})
	if err != nil {
		fmt.Println(err)
		return
	}
	at := data.Rows(mat.NewDense(2, 1, []float64{-2, 100}))
	labels, err := m.Predict(ctx, at)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Proba(ctx, at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels[0])
	fmt.Printf("%.2f\n", p.RawRowView(1))
	// Output:
	// left
	// [0.50 0.50]
}

func ExampleSparseRegression() {
	n := 2000
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		x.Set(i, 0, 10*float64(i)/float64(n))
		y[i] = math.Sin(x.At(i, 0))
		if i%2 == 0 {
			y[i] += 0.2
		}
	}
	g := gp.SparseRegression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{}), FitMean: true,
		InducingOptions: gp.InducingOptions{Inducing: 12}}
	m, err := g.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		panic(err)
	}
	at := data.Rows(mat.NewDense(1, 1, []float64{math.Pi / 2}))
	mean, err := m.Predict(context.Background(), at)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f at the top, noise %.2f", mean[0], m.Noise())
	// Output: 1.1 at the top, noise 0.01
}

func ExampleSparseClassification() {
	n := 200
	x, y := mat.NewDense(n, 1, nil), make([]string, n)
	for i := range y {
		x.Set(i, 0, 6*float64(i)/float64(n)-3)
		y[i] = "inside"
		if math.Abs(x.At(i, 0)) > 1 {
			y[i] = "outside"
		}
	}
	c := gp.SparseClassification[kernel.Vec, string]{Kernel: kernel.Scale[kernel.Vec](4, kernel.Gaussian{}),
		InducingOptions: gp.InducingOptions{Inducing: 10}, HyperOptions: gp.HyperOptions{FixedKernel: true}}
	m, err := c.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		panic(err)
	}
	labels, err := m.Predict(context.Background(), data.Rows(mat.NewDense(2, 1, []float64{0, 2})))
	if err != nil {
		panic(err)
	}
	fmt.Println(labels)
	// Output: [inside outside]
}
