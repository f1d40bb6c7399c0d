package rkhs_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

func lineThrough() *rkhs.Func[kernel.Vec] {
	f, err := rkhs.New[kernel.Vec](kernel.Linear{}, data.Slice[kernel.Vec]{{2}}, mat.NewDense(1, 1, []float64{3}), nil)
	if err != nil {
		panic(err)
	}
	return f
}

func ExampleErase() {
	f := rkhs.Erase(lineThrough())
	fmt.Println(f.At(kernel.Vec{5}))
	// Output: [30]
}

func ExampleEraseVectors() {
	f := rkhs.EraseVectors(lineThrough())
	fmt.Println(f.At(kernel.Vec{1}))
	// Output: [6]
}

func ExampleOnVectors() {
	f, ok := rkhs.OnVectors(rkhs.EraseVectors(lineThrough()))
	fmt.Println(f.At(kernel.Vec{1}), ok)
	// Output: [6] true
}
