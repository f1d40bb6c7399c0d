package spec_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// A search varies what was left out and leaves what somebody wrote.
func ExampleWritten() {
	values := func(text string) ([]float64, error) {
		k, err := spec.ParseKernel(text)
		if err != nil {
			return nil, err
		}
		return kernel.Values(k), nil
	}
	marks, err := spec.Written("matern(nu=2.5)", values)
	fmt.Println(marks, err) // ν and ℓ
	// Output: [true false] <nil>
}
