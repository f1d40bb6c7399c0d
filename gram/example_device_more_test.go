package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleDeviceRows() {
	d := EmulatedDevice(1, 1<<20, 0)
	r := NewDeviceRows[kernel.Vec](d, kernel.Linear{}, data.Line([]float64{1, 10}), Double, 0)
	defer r.Close()
	r.Fit(func(x data.Points[kernel.Vec]) bool { return x.At(0)[0] > 0 })
	v := mat.NewDense(2, 1, []float64{1, 2})
	for _, x := range []float64{3, -3} {
		dst := mat.NewDense(1, 1, nil)
		made, err := r.MulTo(context.Background(), dst, data.Line([]float64{x}), v)
		fmt.Println(dst.At(0, 0), made, err)
	}
	// Output:
	// 63 true <nil>
	// 0 false <nil>
}

func ExampleNewDeviceRows() {
	r := NewDeviceRows[kernel.Vec](nil, kernel.Linear{}, data.Line([]float64{1}), Double, 0) // no device
	fmt.Println(r == nil)
	r.Close()
	// Output: true
}

func ExampleKeptDeviceRows() {
	d, owner := EmulatedDevice(1, 1<<20, 0), new(int)
	for range 2 { // the second time the centres are there
		r, done := KeptDeviceRows[kernel.Vec](d, owner, kernel.Linear{}, data.Line([]float64{1, 10}), Double, 0)
		dst := mat.NewDense(1, 1, nil)
		made, err := r.MulTo(context.Background(), dst, data.Line([]float64{2}), mat.NewDense(2, 1, []float64{1, 1}))
		done()
		fmt.Println(dst.At(0, 0), made, err)
	}
	fmt.Println(d.Close())
	// Output:
	// 22 true <nil>
	// 22 true <nil>
	// <nil>
}

func ExamplePermutedSums() {
	d := EmulatedDevice(1, 1<<20, 0)
	k, l := mat.NewDense(2, 2, []float64{1, 2, 2, 3}), mat.NewDense(2, 2, []float64{5, 0, 0, 7})
	s := NewPermutedSums(d, k, l, 2)
	v := make([]float64, 2)
	fmt.Println(s.Sums([]int32{0, 1, 1, 0}, v), v) // as they are; exchanged
	s.Close()
	// Output: true [26 22]
}

func ExampleNewPermutedSums() {
	one := mat.NewDense(1, 1, []float64{1})
	s := NewPermutedSums(nil, one, one, 1) // no device
	fmt.Println(s.Sums([]int32{0}, make([]float64, 1)))
	// Output: false
}

func ExampleDeviceEigen() {
	d := EmulatedDevice(1, 1<<20, 0)
	values, vectors, ok := DeviceEigen(d, mat.NewDense(2, 2, []float64{3, 0, 0, 1}))
	fmt.Println(values, vectors.At(0, 1) != 0, ok)
	// Output: [1 3] true true
}

func ExampleRelease() {
	d := EmulatedDevice(1, 1<<20, 0)
	g, err := New[kernel.Vec](context.Background(), kernel.Linear{}, data.Line([]float64{1, 2}), Options{Device: d})
	if err != nil {
		panic(err)
	}
	dst := mat.NewDense(2, 1, nil)
	g.MulTo(dst, mat.NewDense(2, 1, []float64{1, 1}), false)
	Release(g)
	fmt.Println(dst.RawMatrix().Data, d.Close())
	// Output: [3 6] <nil>
}

func ExampleCenterFactor_LogDet() {
	d := EmulatedDevice(1, 1<<20, 0)
	f, err := NewCenterFactor(d, kernel.Linear{}, data.Line([]float64{2}), 5) // 2·2 + 5
	if err != nil {
		panic(err)
	}
	defer f.Close()
	inverse, l := mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil)
	fmt.Printf("%.4f %v %v\n", f.LogDet(), f.InverseTo(inverse), f.FactorTo(l))
	fmt.Printf("%.4f %g\n", inverse.At(0, 0), l.At(0, 0))
	// Output:
	// 2.1972 <nil> <nil>
	// 0.1111 3
}

func ExampleShiftedBlocks() {
	d := EmulatedDevice(1, 1<<20, 0)
	// Of a matrix whose eigenvectors are (1, 1)/√2 and (1, -1)/√2, the rows of its first point.
	r := math.Sqrt(0.5)
	s := NewShiftedBlocks(d, mat.NewDense(2, 1, []float64{r, r}), 1, 1)
	defer s.Close()
	b := mat.NewDense(1, 1, []float64{6})
	ok := s.SolveTo(b, []float64{1, 3}, 1, nil) // by ½·1 + ½·3 + 1
	fmt.Printf("%.3g %v\n", b.At(0, 0), ok)
	// Output: 2 true
}

func ExampleNewShiftedBlocks() {
	fmt.Println(NewShiftedBlocks(nil, mat.NewDense(2, 1, nil), 1, 1) == nil) // no device
	// Output: true
}
