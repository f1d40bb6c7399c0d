package svm_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// Two classes that no line separates.
func ExampleSVC() {
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 1, 0, 1, 1, 0}))
	y := []string{"same", "same", "different", "different"}
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, C: 10}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, x), len(m.Support()), "support vectors")
	// Output: [same same different different] 4 support vectors
}

func ExampleSVR() {
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{0, 2, 4, 6, 8}
	m, err := svm.Regression[kernel.Vec]{Kernel: kernel.Linear{}, C: 100, Epsilon: 0.5, Options: svm.Options{Tol: 1e-8}}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The flattest line in the tube.
	fmt.Printf("%.3f\n", m.Predict(nil, x))
	// Output: [0.500 2.250 4.000 5.750 7.500]
}

func ExampleOneClass() {
	x := data.Rows(mat.NewDense(6, 1, []float64{-0.2, -0.1, 0, 0.1, 0.2, 5}))
	m, err := svm.OneClass[kernel.Vec]{Kernel: kernel.Gaussian{}, Nu: 0.3}.Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Inside(nil, data.Rows(mat.NewDense(2, 1, []float64{0, 9}))))
	// Output: [true false]
}

func ExampleLinearSVC() {
	x := data.SparseOf([]data.SparseVec{
		{Index: []int32{0, 7}, Value: []float64{1, 2}},
		{Index: []int32{7}, Value: []float64{3}},
		{Index: []int32{0, 4}, Value: []float64{1, 2}},
	}, 10)
	m, err := svm.LinearClassification[data.SparseVec, string]{}.Fit(context.Background(), x, []string{"news", "news", "mail"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, x))
	// Output: [news news mail]
}

func ExamplePrimalSVC() {
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	m, err := svm.PrimalClassification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: 1e6}.Fit(context.Background(), x, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, x))
	// Output: [0 0 1 1]
}
