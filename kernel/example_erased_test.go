package kernel_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// A search takes kernels on points of any type: they forget it, and hold the kernel as it was
// given.
func ExampleErase() {
	k := kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1})
	fmt.Printf("%.4f\n", k.Eval(kernel.Vec{0}, kernel.Vec{1}))
	// Output: 0.6065
}

func ExampleTyped() {
	k, ok := kernel.Typed[kernel.Vec](kernel.OnVectors(kernel.Linear{}))
	fmt.Println(k.Eval(kernel.Vec{2}, kernel.Vec{3}), ok)
	_, ok = kernel.Typed[string](kernel.OnVectors(kernel.Linear{}))
	fmt.Println(ok)
	// Output:
	// 6 true
	// false
}

// A sum of erased kernels becomes one on vectors.
func ExampleRetyped() {
	k, ok := kernel.Retyped[kernel.Vec](kernel.Sum(kernel.OnVectors(kernel.Linear{}), kernel.Constant[any](1)))
	fmt.Printf("%T %v %v\n", k, k.Eval(kernel.Vec{2}, kernel.Vec{3}), ok)
	// Output: kernel.SumOf[[]float64] 7 true
}

// Who looks for a kernel of a certain kind looks behind the erased one.
func ExampleConcrete() {
	_, linear := kernel.Concrete(kernel.OnVectors(kernel.Linear{})).(kernel.Linear)
	fmt.Println(linear)
	// Output: true
}

// An erased sum is walked as a sum of erased kernels.
func ExampleOpened() {
	k := kernel.OnVectors(kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Gaussian{Lengthscale: 1}))
	sum, ok := kernel.Opened(k).(kernel.SumOf[any])
	fmt.Println(len(sum.Terms), ok)
	// Output: 2 true
}

func ExampleOnVectors() {
	k := kernel.OnVectors(kernel.Linear{})
	fmt.Println(k.Eval(kernel.Vec{2}, kernel.Vec{3}))
	// Output: 6
}

func ExampleOnSparseVectors() {
	on, err := kernel.OnSparse(kernel.Linear{}, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := data.SparseVec{Index: []int32{1, 4}, Value: []float64{2, 3}}
	fmt.Println(kernel.OnSparseVectors(on).Eval(x, x))
	// Output: 13
}

func ExampleFromVectors() {
	same := kernel.FromVectors[kernel.Vec](kernel.Linear{})
	erased := kernel.FromVectors[any](kernel.Linear{})
	fmt.Println(same.Eval(kernel.Vec{2}, kernel.Vec{3}), erased.Eval(kernel.Vec{2}, kernel.Vec{3}))
	// Output: 6 6
}

func ExampleFromSparse() {
	on, err := kernel.OnSparse(kernel.Linear{}, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := data.SparseVec{Index: []int32{4}, Value: []float64{3}}
	fmt.Println(kernel.FromSparse[any](on).Eval(x, x))
	// Output: 9
}

// A logarithm of numbers is not defined everywhere; a Gaussian kernel is.
func ExampleChecksPoints() {
	fmt.Println(kernel.ChecksPoints[kernel.Vec](kernel.Gaussian{}), kernel.ChecksPoints[kernel.Vec](kernel.Intersection{}))
	// Output: false true
}
