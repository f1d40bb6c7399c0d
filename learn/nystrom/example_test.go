package nystrom_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

// wave is n points of a sine, and the side of it they are on.
func wave(n int) (x data.Points[kernel.Vec], y []float64, side []string) {
	at := make([]float64, n)
	for i := range at {
		at[i] = 6 * float64(i) / float64(n)
		y = append(y, math.Sin(at[i]))
		side = append(side, map[bool]string{true: "above", false: "below"}[y[i] > 0])
	}
	return data.Line(at), y, side
}

func ExampleRegression() {
	x, y, _ := wave(5000)
	r := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: 1e-3,
		Options: nystrom.Options{Centers: 40, Solver: nystrom.Falkon, Precision: gram.Single}}
	m, err := r.Fit(context.Background(), x, y)
	if err != nil {
		panic(err)
	}
	p, _ := m.Predict(context.Background(), data.Line([]float64{math.Pi / 2}))
	fmt.Printf("%.3f from at most 40 centres: %v, %v\n", p[0], m.Func().Centers.Len() <= 40, m.Report().Converged)
	// Output: 1.000 from at most 40 centres: true, true
}

func ExampleRegression_Path() {
	x, y, _ := wave(1000)
	r := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Intercept: true, Options: nystrom.Options{Centers: 30}}
	path, err := r.Path(context.Background(), x, y, []float64{1000, 1, 1e-3})
	if err != nil {
		panic(err)
	}
	for _, m := range path {
		p, _ := m.Predict(context.Background(), data.Line([]float64{math.Pi / 2}))
		fmt.Printf("%.2f ", p[0])
	}
	fmt.Println()
	// Output: 0.21 1.00 1.00
}

func ExampleRegression_FitSource() {
	x, y, _ := wave(1000)
	rows := data.NewInMemory(x, y, 1, nil) // or anything that gives its rows in blocks, twice the same
	m, err := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: 1e-3}.FitSource(context.Background(), rows)
	if err != nil {
		panic(err)
	}
	p, _ := m.Predict(context.Background(), data.Line([]float64{0}))
	fmt.Printf("%.2f\n", math.Abs(p[0]))
	// Output: 0.00
}

func ExampleClassification() {
	x, _, side := wave(1000)
	r := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: nystrom.Options{Choice: nystrom.KMeans}}
	m, err := nystrom.Classification[kernel.Vec, string]{Regression: r}.Fit(context.Background(), x, side)
	if err != nil {
		panic(err)
	}
	p, _ := m.Predict(context.Background(), data.Line([]float64{1, 5}))
	fmt.Println(p)
	// Output: [above below]
}

func ExampleLogistic() {
	x, _, side := wave(1000)
	m, err := nystrom.Logistic[kernel.Vec, string]{Kernel: kernel.Gaussian{}, Lambda: 0.1, Intercept: true,
		Options: nystrom.Options{Choice: nystrom.Leverage}}.Fit(context.Background(), x, side)
	if err != nil {
		panic(err)
	}
	p, _ := m.Proba(context.Background(), data.Line([]float64{math.Pi}))
	fmt.Printf("%.1f\n", p.At(0, 0)) // where the sine changes sides
	// Output: 0.5
}

func ExampleSnacks() {
	n := 2000
	x, y := mat.NewDense(n, 1, nil), make([]string, n)
	for i := range y {
		x.Set(i, 0, 6*float64(i)/float64(n)-3)
		y[i] = "inside"
		if math.Abs(x.At(i, 0)) > 1 {
			y[i] = "outside"
		}
	}
	c := nystrom.Snacks[kernel.Vec, string]{Kernel: kernel.Gaussian{}, Intercept: true,
		Options: nystrom.Options{Centers: 20, Tol: 0.05}}
	m, err := c.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		panic(err)
	}
	labels, err := m.Predict(context.Background(), data.Rows(mat.NewDense(2, 1, []float64{0, 2})))
	if err != nil {
		panic(err)
	}
	fmt.Println(labels, m.Report().Certified, m.Report().Converged)
	// Output: [inside outside] relative duality gap true
}
