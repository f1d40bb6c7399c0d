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

func ExampleTyped() {
	line := lineThrough()
	f := rkhs.Typed(line.Kernel, rkhs.Erase(line)) // a function of vectors once more
	fmt.Println(f.At(kernel.Vec{5}))
	// Output: [30]
}

// through is a fitted thing of one function.
type through struct{ f *rkhs.Func[kernel.Vec] }

func (l through) Plain() (rkhs.Plain[kernel.Vec], error) {
	return rkhs.Plain[kernel.Vec]{Kind: "line", Funcs: []*rkhs.Func[kernel.Vec]{l.f}}, nil
}

func ExampleErasePlainer() {
	p, err := rkhs.ErasePlainer(through{lineThrough()}).Plain()
	fmt.Println(p.Kind, p.Funcs[0].At(kernel.Vec{2}), err)
	// Output: line [12] <nil>
}

func ExamplePlain_Erase() {
	p, _ := through{lineThrough()}.Plain()
	fmt.Println(p.Erase().Funcs[0].At(kernel.Vec{1}))
	// Output: [6]
}
