package spec_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/spec"
)

func ExampleParseKernel() {
	k, err := spec.ParseKernel("0.5*gaussian(lengthscale=2) + linear()^2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", k.Eval([]float64{1, 0}, []float64{1, 2}))
	_, err = spec.ParseKernel("gausian(lengthscale=2) + linear()")
	fmt.Println(err)
	// Output:
	// 1.3033
	// unknown kernel "gausian" at column 1; did you mean "gaussian"?
}

func ExampleFormatKernel() {
	k, _ := spec.ParseKernel("gaussian([1,2,0.3])*3")
	text, _ := spec.FormatKernel(k)
	fmt.Println(text)
	// Output: 3*gaussian(lengthscale=[1, 2, 0.3])
}
