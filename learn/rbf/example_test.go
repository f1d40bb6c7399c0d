package rbf_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/rbf"
	"gonum.org/v1/gonum/mat"
)

func ExampleRBFNetwork() {
	x := data.Rows(mat.NewDense(7, 1, []float64{0, 1, 2, 3, 4, 5, 6}))
	y := []float64{0, 0, 2, 0, 0, 1, 0}
	m, err := rbf.Network[kernel.Vec]{
		Kernel:  kernel.Gaussian{Lengthscale: 0.3},
		Options: rbf.Options{Centers: 2, Choice: rbf.OrthogonalLeastSquares},
	}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("centres:", m.CenterRows())
	fmt.Printf("%.2f\n", m.Predict(nil, x)[2])
	// Output:
	// centres: [2 5]
	// 2.00
}

func ExampleRBFClassifier() {
	x := data.Rows(mat.NewDense(6, 1, []float64{0, 0.2, 5, 5.2, 10, 10.2}))
	y := []string{"left", "left", "middle", "middle", "right", "right"}
	m, err := rbf.Classification[kernel.Vec, string]{
		Kernel:  kernel.Gaussian{},
		Options: rbf.Options{Centers: 3, Choice: rbf.KMeansCenters, Seed: 1},
	}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(nil, data.Rows(mat.NewDense(3, 1, []float64{5.5, 9.5, 0.5}))))
	// Output:
	// [middle right left]
}
