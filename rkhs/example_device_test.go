package rkhs

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleFunc_OnDevice() {
	f, _ := New[kernel.Vec](kernel.Linear{}, data.Line([]float64{1, 10}), mat.NewDense(2, 1, []float64{1, 2}),
		[]float64{0.5})
	f.OnDevice(gram.EmulatedDevice(1, 1<<20, 0))
	y, err := f.Evaluate(context.Background(), data.Line([]float64{1, 2, 3}))
	fmt.Println(y.RawMatrix().Data, err)
	// Output: [21.5 42.5 63.5] <nil>
}
