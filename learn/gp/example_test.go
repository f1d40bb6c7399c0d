package gp_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"gonum.org/v1/gonum/mat"
)

func ExampleGP() {
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{0, 0.84, 0.91, 0.14, -0.76}
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.01, FixedNoise: true}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := data.Rows(mat.NewDense(2, 1, []float64{1.5, 40}))
	fmt.Printf("mean %.1f\n", m.Predict(nil, at)[0])
	fmt.Printf("variance %.1f\n", m.Variance(nil, at))
	// Output:
	// mean 1.0
	// variance [0.0 1.0]
}

func ExampleGPClassifier() {
	x := data.Rows(mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3}))
	c := gp.Classification[kernel.Vec, string]{Kernel: kernel.Scale[kernel.Vec](4, kernel.Gaussian{}), HyperOptions: gp.HyperOptions{FixedKernel: true}}
	m, err := c.Fit(context.Background(), x, []string{"left", "left", "left", "right", "right", "right"})
	if err != nil {
		fmt.Println(err)
		return
	}
	at := data.Rows(mat.NewDense(2, 1, []float64{-2, 100}))
	fmt.Println(m.Predict(nil, at)[0])
	fmt.Printf("%.2f\n", m.Proba(nil, at).RawRowView(1)) // far from all points it knows nothing
	// Output:
	// left
	// [0.50 0.50]
}

func ExampleLogistic() {
	x := data.Rows(mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}))
	y := []string{"no", "no", "yes", "no", "yes", "yes"}
	m, err := logistic.Regression[kernel.Vec, string]{Kernel: kernel.Linear{}, Lambda: 0.01, Intercept: true}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Classes(), m.Predict(nil, data.Rows(mat.NewDense(2, 1, []float64{0, 9}))))
	fmt.Printf("%.2f\n", m.Proba(nil, data.Rows(mat.NewDense(1, 1, []float64{3.5}))).RawRowView(0))
	// Output:
	// [no yes] [no yes]
	// [0.50 0.50]
}

func ExampleLogisticL1() {
	x := data.Rows(mat.NewDense(8, 1, []float64{-4, -3, -2, -1, 1, 2, 3, 4}))
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	m, err := logistic.L1[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, Intercept: true}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Func().Centers.Len() < 8, m.Report().Certificate < 1e-6)
	// Output:
	// true true
}
