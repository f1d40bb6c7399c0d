package gram

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleOpenDevice() {
	d, err := OpenDevice(DeviceOptions{})
	if errors.Is(err, ErrNoDeviceSupport) || errors.Is(err, ErrNoDriver) || errors.Is(err, ErrNoDevice) {
		d = nil // the processor alone
	}
	defer d.Close()
	fmt.Println(d == nil || d.String() != "")
	// Output: true
}

func ExampleDeviceProduct() {
	d := EmulatedDevice(1, 1<<20, 0)
	x, c := data.Line([]float64{1, 2, 3}), data.Line([]float64{1, 10})
	dst := mat.NewDense(3, 1, nil)
	made, err := DeviceProduct[kernel.Vec](context.Background(), d, kernel.Linear{}, x, c, dst,
		mat.NewDense(2, 1, []float64{1, 2}), Double)
	fmt.Println(dst.RawMatrix().Data, made, err)
	// Output: [21 42 63] true <nil>
}

func ExampleNewCenterFactor() {
	d := EmulatedDevice(1, 1<<20, 0)
	f, err := NewCenterFactor(d, kernel.Linear{}, data.Line([]float64{2}), 5) // 2·2 + 5
	fmt.Println(f.Pivots(), err)
	f.Close()
	_, err = NewCenterFactor(d, kernel.Linear{}, data.Line([]float64{1, 2}), 0) // one dimension for two centres
	fmt.Println(errors.Is(err, ErrDependent))
	// Output:
	// [3] <nil>
	// true
}

func ExampleCenterFactor() {
	d := EmulatedDevice(1, 1<<20, 0)
	f, _ := NewCenterFactor(d, kernel.Linear{}, data.Line([]float64{3}), 0)
	defer f.Close()
	fmt.Println(f.Dim(), f.Pivots())
	b := mat.NewDense(1, 1, []float64{18})
	_ = f.SolveTo(b, false) // 18/3
	_ = f.SolveTo(b, true)  // 6/3
	fmt.Println(b.At(0, 0))
	mean, _ := f.Mean([]float64{7})
	g, _ := f.MomentFactor([]float64{1}, nil, 7) // 3·3 + 7
	defer g.Close()
	fmt.Println(mean, g.Pivots())
	// Output:
	// 1 [3]
	// 2
	// [3] [4]
}
