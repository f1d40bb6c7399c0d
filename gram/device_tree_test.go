package gram

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// Rows that lie one after the other are moved to the device by vectors, to the bits and the reach
// of one number after the other; a NaN in one of them is seen, and rows apart from one another are
// taken as they lie.
func TestCoordinatesByVectors(t *testing.T) {
	for _, d := range []int{1, 3, 28, 1500} {
		x := points(1100, d, 3)
		if d > 100 {
			x = points(9, d, 3)
		}
		one := make(data.Slice[kernel.Vec], x.Len())
		for i := range one {
			one[i] = x.At(i)
		}
		tree, ok := newDeviceTree(kernel.Gaussian{Lengthscale: 0.7}, x)
		if !ok {
			t.Fatal("no tree")
		}
		for _, p := range []cuda.Precision{cuda.Single, cuda.Double} {
			s, err := cuda.NewSums(cuda.Emulate(cuda.Emulated{}), tree.tree, p, []float64{100}, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			fill := func(x data.Points[kernel.Vec]) ([]byte, []float64, bool) {
				host := make([]byte, s.HostBytes(x.Len()))
				reach, even := fillCoordinates(tree, 2, s, host, x, nil)
				return host, reach, even
			}
			if tree.flat(0, x) == nil || tree.flat(0, one) != nil {
				t.Fatal("which rows lie one after the other")
			}
			got, reach, even := fill(x)
			want, far, _ := fill(one)
			if string(got) != string(want) || !even || !(math.Abs(reach[0]/far[0]-1) < 1e-14) {
				t.Errorf("%d columns: other coordinates, or %g for %g", d, reach, far)
			}
			was := x.At(5)[d/2]
			x.At(5)[d/2] = math.NaN()
			if _, _, even := fill(x); even {
				t.Error("a NaN was not seen")
			}
			x.At(5)[d/2] = was
			s.Close()
		}
	}
	wide := points(40, 6, 1).RawMatrix()
	narrow := data.RowsOf(blas64.General{Rows: wide.Rows, Cols: 4, Stride: wide.Stride, Data: wide.Data})
	tree, _ := newDeviceTree(kernel.Gaussian{}, narrow)
	if tree.flat(0, narrow) != nil {
		t.Error("rows that are part of longer ones")
	}
}
