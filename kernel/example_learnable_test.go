package kernel_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// spread is a Gaussian kernel whose length-scale is found from the rows: how far they reach.
type spread struct{ kernel.Gaussian }

// Learn is the Gaussian kernel with its length-scale.
func (spread) Learn(_ context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, _ := data.VectorsOf(e.Points)
	low, high := x.At(0)[0], x.At(0)[0]
	for i := range x.Len() {
		low, high = min(low, x.At(i)[0]), max(high, x.At(i)[0])
	}
	return kernel.OnVectors(kernel.Gaussian{Lengthscale: high - low}), nil
}

func ExampleLearnable() {
	var k kernel.Learnable = spread{}
	rows := data.Slice[kernel.Vec]{{1}, {3}, {5}}
	fitted, err := k.Learn(context.Background(), kernel.Examples{Points: data.Erase(data.Points[kernel.Vec](rows))})
	fmt.Println(kernel.Values(fitted), err)
	// Output: [4] <nil>
}

func ExampleLearn() {
	k := kernel.OnVectors(kernel.Sum[kernel.Vec](spread{}, kernel.Linear{}))
	rows := data.Slice[kernel.Vec]{{1}, {3}, {5}}
	fitted, err := kernel.Learn(context.Background(), k,
		kernel.Examples{Points: data.Erase(data.Points[kernel.Vec](rows))})
	fmt.Println(kernel.Values(fitted), err)
	// Output: [4] <nil>
}

func ExampleLearns() {
	fmt.Println(kernel.Learns(kernel.OnVectors(kernel.Scale[kernel.Vec](2, spread{}))),
		kernel.Learns(kernel.OnVectors(kernel.Gaussian{})))
	// Output: true false
}
