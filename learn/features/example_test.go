package features_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/features"
	"gonum.org/v1/gonum/mat"
)

// rings is points in the plane with their distance from the origin.
func rings(n int) (*mat.Dense, []float64) {
	x, r := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range r {
		r[i] = 2 * float64(i*7%n) / float64(n)
		x.SetRow(i, []float64{r[i] * math.Cos(float64(i)), r[i] * math.Sin(float64(i))})
	}
	return x, r
}

func ExampleRegression() {
	x, r := rings(5000)
	rows := data.NewInMemory[kernel.Vec](data.Rows(x), r, 1, nil) // or any other data.Source
	m, err := features.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: 0.01, Intercept: true,
		Options: features.Options{Frequencies: 100}}.FitSource(context.Background(), rows)
	if err != nil {
		panic(err)
	}
	v, err := m.Predict(context.Background(), data.Rows(mat.NewDense(1, 2, []float64{0.9, 1.2})))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f", v[0])
	// Output: 1.5
}

func ExampleClassification() {
	x, r := rings(5000)
	code := make([]float64, len(r))
	for i, v := range r {
		if v > 1 {
			code[i] = 1
		}
	}
	rows := data.NewInMemory[kernel.Vec](data.Rows(x), code, 1, nil)
	c := features.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{}, Loss: features.Hinge, Lambda: 0.1,
		Intercept: true, Passes: 5, Options: features.Options{Frequencies: 100}}
	m, err := c.FitSource(context.Background(), rows, []string{"inside", "outside"})
	if err != nil {
		panic(err)
	}
	v, err := m.Predict(context.Background(), data.Rows(mat.NewDense(2, 2, []float64{0.1, 0.2, 1.5, 0.5})))
	if err != nil {
		panic(err)
	}
	fmt.Println(v)
	// Output: [inside outside]
}

func ExampleLogistic() {
	x, r := rings(5000)
	code := make([]string, len(r))
	for i, v := range r {
		code[i] = map[bool]string{false: "inside", true: "outside"}[v > 1]
	}
	c := features.Logistic[kernel.Vec, string]{Classification: features.Classification[kernel.Vec,
		string]{Kernel: kernel.Gaussian{}, Lambda: 0.1, Intercept: true, Options: features.Options{Frequencies: 100}}}
	m, err := c.Fit(context.Background(), data.Rows(x), code)
	if err != nil {
		panic(err)
	}
	p, err := m.Proba(context.Background(), data.Rows(mat.NewDense(1, 2, []float64{0.1, 0.2})))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.At(0, 0) > 0.8)
	// Output: true
}
