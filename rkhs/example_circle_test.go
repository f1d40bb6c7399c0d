package rkhs_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

func ExampleCircleFunc_rules() {
	space := kernel.Fourier{Coef: []float64{1, 0.5}}
	f, err := rkhs.NewCircleFunc(space, []complex128{0, 0.5}) // cos x
	if err != nil {
		panic(err)
	}
	slope := f.Derivative() // -sin x
	fmt.Printf("%.4f %.4f %.4f\n", slope.At(1), f.DerivativeAt(1, 2), f.Mirror().At(1))
	fmt.Printf("%.4f %.4f\n", f.Shift(1).At(1), f.L2Inner(slope))
	// Output:
	// -0.8415 -0.5403 0.5403
	// 1.0000 0.0000
}
