package gram

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The system of one point x = 2 with the linear kernel and ρ = 4 is 2·2 + 4 = 8: products are with
// 4, and 16 is solved for by 2.
func ExampleNewMixedSystem() {
	d := EmulatedDevice(1, 1<<20, 0)
	defer d.Close()
	s, err := NewMixedSystem(context.Background(), d, kernel.Linear{}, data.Line([]float64{2}), 4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	out := mat.NewDense(1, 1, nil)
	s.MulTo(out, mat.NewDense(1, 1, []float64{3}), false)
	fmt.Println(out.At(0, 0))
	s.ApplyTo(out, mat.NewDense(1, 1, []float64{16}))
	fmt.Printf("%.5f\n", out.At(0, 0))
	fmt.Println(s.Err())
	// Output:
	// 12
	// 2.00000
	// <nil>
}

func ExampleDevice_Expect() {
	d := EmulatedDevice(1, 1<<20, 0) // one that is always used
	defer d.Close()
	fmt.Println(d.Expect(1e6, 1))
	var none *Device
	fmt.Println(none.Expect(1e12, 1))
	// Output:
	// true
	// false
}
