package spec_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// What is printed can be typed: it parses to the same kernel.
func ExamplePrinted() {
	fmt.Println(spec.Printed[kernel.Vec](kernel.Scale[kernel.Vec](0.5, kernel.Gaussian{Lengthscale: 2})))
	// Output: 0.5*gaussian(lengthscale=2)
}

// For reading four digits are enough.
func ExampleRounded() {
	fmt.Println(spec.Rounded("gaussian(lengthscale=3.14159265) + linear()"))
	// Output: gaussian(lengthscale=3.142) + linear()
}
