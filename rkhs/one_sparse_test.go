package rkhs_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Rows that are hardly sparse are evaluated as whole rows: a function has its own value at each of
// them, one after another, too.
func TestSparsePointsOneAfterAnother(t *testing.T) {
	rows := data.Slice[data.SparseVec]{
		{Index: []int32{0, 1, 2}, Value: []float64{1, -2, 0.5}},
		{Index: []int32{0, 2}, Value: []float64{-1, 3}},
		{Index: []int32{1, 2}, Value: []float64{0.3, 0.1}},
	}
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 2}, "linear": kernel.Linear{}, "laplace": kernel.Laplace{Lengthscale: 1},
		"polynomial": kernel.Polynomial{Degree: 2, Offset: 1}, "sum": kernel.Sum[kernel.Vec](kernel.Gaussian{}, kernel.Linear{}),
	} {
		sparse, err := kernel.OnSparse(k, 3)
		if err != nil {
			t.Fatal(err)
		}
		for outputs := 1; outputs < 3; outputs++ {
			coef := mat.NewDense(3, outputs, nil)
			for i := range 3 {
				for j := range outputs {
					coef.Set(i, j, float64(1+i)-1.7*float64(j))
				}
			}
			f, err := rkhs.New(sparse, data.Points[data.SparseVec](rows), coef, nil)
			if err != nil {
				t.Fatal(err)
			}
			f.Prepare()
			for _, i := range []int{0, 1, 2, 1, 0} {
				got, err := f.Evaluate(t.Context(), rows[i:i+1])
				if err != nil {
					t.Fatal(err)
				}
				for j, want := range f.At(rows[i]) {
					if math.Abs(got.At(0, j)-want) > 1e-12 {
						t.Errorf("%s: output %d at row %d is %g, want %g", name, j, i, got.At(0, j), want)
					}
				}
			}
		}
	}
}
