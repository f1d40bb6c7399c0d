package kerneltest_test

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// myKernel is a user's kernel on strings: the length of the common prefix, plus one.
type myKernel struct{}

func (myKernel) Eval(a, b string) float64 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return float64(n + 1)
}

var words = data.Slice[string]{"kernel", "kern", "gram", "graph", "kettle", "matrix"}

func ExampleRun() {
	_ = func(t *testing.T) { // in a test file: func TestMyKernel(t *testing.T)
		kerneltest.Run[string](t, myKernel{}, kerneltest.Options[string]{Points: words})
	}
}

func ExampleErrors() {
	failed := kerneltest.Errors[string](myKernel{}, kerneltest.Options[string]{Points: words})
	fmt.Println(len(failed))
	// Output: 0
}

func ExampleChecks() {
	for _, c := range kerneltest.Checks[string]()[:3] {
		fmt.Println(c.Name, c.Test(myKernel{}, kerneltest.Options[string]{Points: words}))
	}
	// Output:
	// accepted <nil>
	// symmetric <nil>
	// positive semi-definite <nil>
}

func ExampleVectors() {
	fmt.Println(kerneltest.Vectors(1, 20, 3).Len())
	// Output: 20
}

func ExampleUnitCube() {
	x := kerneltest.UnitCube(1, 5, 2)
	fmt.Println(kernel.Check[kernel.Vec](kernel.Sobolev{Order: 2}, x))
	// Output: <nil>
}

func ExampleBall() {
	x := kerneltest.Ball(1, 5, 2)
	fmt.Println(kernel.Check[kernel.Vec](kernel.Binomial{}, x))
	// Output: <nil>
}

func ExampleAdversarial() {
	fmt.Println(len(kerneltest.Adversarial(3)))
	// Output: 6
}

func ExampleCodes() {
	x := kerneltest.Codes(1, 100, 2)
	seen := map[float64]bool{}
	for i := range x.Len() {
		seen[x.At(i)[0]] = true
	}
	fmt.Println(seen)
	// Output: map[-1:true 0:true 1:true 2:true]
}
