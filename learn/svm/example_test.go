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
func ExampleClassification() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 1, 0, 1, 1, 0}))
	y := []string{"same", "same", "different", "different"}
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, C: 10}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels, len(m.Support()), "support vectors")
	// Output: [same same different different] 4 support vectors
}

// The flattest line in the tube of half width ε around the data.
func ExampleRegression() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	y := []float64{0, 2, 4, 6, 8}
	m, err := svm.Regression[kernel.Vec]{Kernel: kernel.Linear{}, C: 100, Epsilon: 0.5,
		Options: svm.Options{Tol: 1e-8}}.Fit(ctx, x, y)
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
	// Output: [0.500 2.250 4.000 5.750 7.500]
}

// A detector of novelty, fitted to points without labels.
func ExampleOneClass() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(6, 1, []float64{-0.2, -0.1, 0, 0.1, 0.2, 5}))
	m, err := svm.OneClass[kernel.Vec]{Kernel: kernel.Gaussian{}, Nu: 0.3}.Fit(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	inside, err := m.Predict(ctx, data.Rows(mat.NewDense(2, 1, []float64{0, 9})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(inside)
	// Output: [true false]
}

// Sparse rows, as of words in texts; the model is a vector of weights.
func ExampleLinearClassification() {
	ctx := context.Background()
	x := data.SparseOf([]data.SparseVec{
		{Index: []int32{0, 7}, Value: []float64{1, 2}},
		{Index: []int32{7}, Value: []float64{3}},
		{Index: []int32{0, 4}, Value: []float64{1, 2}},
	}, 10)
	m, err := svm.LinearClassification[data.SparseVec, string]{}.Fit(ctx, x, []string{"news", "news", "mail"})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [news news mail]
}

func ExamplePrimalClassification() {
	ctx := context.Background()
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	m, err := svm.PrimalClassification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: 1e6}.Fit(ctx, x, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels)
	// Output: [0 0 1 1]
}
