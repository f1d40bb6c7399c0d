package linalg_test

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

func ExampleNewCholesky() {
	a := mat.NewDense(2, 2, []float64{4, 2, 2, 3})
	c, err := linalg.NewCholesky(0, linalg.Of(a))
	if err != nil {
		fmt.Println(err)
		return
	}
	b := mat.NewDense(2, 1, []float64{8, 8})
	c.Solve(0, linalg.Of(b))
	fmt.Printf("x = %.0f, log det = %.4f\n", b.RawMatrix().Data, c.LogDet())

	_, err = linalg.NewCholesky(0, linalg.Of(mat.NewDense(2, 2, []float64{1, 2, 2, 1})))
	var e *linalg.NotPositiveDefinite
	fmt.Println(errors.As(err, &e), err)
	// Output:
	// x = [1 2], log det = 2.0794
	// true matrix is not positive definite: pivot 1 is -3
}

func ExampleNewPivotedCholeskyFrom() {
	// The linear kernel of points 1, 2, 3 on a line has rank one.
	x := []float64{1, 2, 3}
	p, _ := linalg.NewPivotedCholeskyFrom(0, []float64{1, 4, 9}, func(dst []float64, j int) {
		for i := range dst {
			dst[i] = x[i] * x[j]
		}
	}, linalg.PivotedOptions{Tolerance: 1e-10})
	fmt.Println("pivots", p.Pivots, "of trace", p.Trace, "left", p.Residual)
	// Output: pivots [2] of trace 14 left 0
}

func ExampleQR_Solve() {
	// The line through (0, 1), (1, 3), (2, 5): intercept 1, slope 2.
	a := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 1, 2})
	x, _ := linalg.NewQR(0, linalg.Of(a)).Solve(0, linalg.Of(mat.NewDense(3, 1, []float64{1, 3, 5})))
	fmt.Printf("%.3f %.3f\n", x.At(0, 0), x.At(1, 0))
	// Output: 1.000 2.000
}
