package gram_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The support vector machine between the points -1 and 1 on a line is f(x) = x: its coefficients
// are -½ and ½.
func ExampleNewBoxSystem() {
	device := gram.EmulatedDevice(1, 1<<24, 0)
	defer device.Close()
	x := data.Rows(mat.NewDense(3, 1, []float64{-1, 1, 3}))
	s, err := gram.NewBoxSystem(device, kernel.Linear{}, x, 0)
	if err != nil {
		panic(err)
	}
	defer s.Close()
	p := gram.BoxProgram{Linear: []float64{-1, 1, 1}, Lower: []float64{-10, 0, 0}, Upper: []float64{0, 10, 10}}
	m, err := s.Solve(context.Background(), p, nil, gram.BoxOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("β %.3f, Kβ %.3f, converged %v\n", m.Beta, m.F, m.Converged)
	// Output: β [-0.500 0.500 0.000], Kβ [-1.000 1.000 3.000], converged true
}
