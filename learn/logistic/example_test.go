package logistic_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
	"gonum.org/v1/gonum/mat"
)

func ExampleRegression() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}))
	y := []string{"no", "no", "yes", "no", "yes", "yes"}
	m, err := logistic.Regression[kernel.Vec, string]{Kernel: kernel.Linear{}, Lambda: 0.01, Intercept: true}.Fit(ctx, x,
		y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 1, []float64{0, 9})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Classes(), labels)
	p, err := m.Proba(ctx, data.Rows(mat.NewDense(1, 1, []float64{3.5})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", p.RawRowView(0))
	// Output:
	// [no yes] [no yes]
	// [0.50 0.50]
}

// Of eight points fewer are kept: coefficients that do not help are 0.
func ExampleL1() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(8, 1, []float64{-4, -3, -2, -1, 1, 2, 3, 4}))
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	m, err := logistic.L1[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, Intercept: true}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Func().Centers.Len() < 8, m.Report().Certificate < 1e-6)
	// Output:
	// true true
}
