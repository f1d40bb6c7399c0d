package rkhs

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// What is wrong with a row is said with a device as without one, also after rows that were well;
// and values are those of the processor.
func TestEvaluateOnDevice(t *testing.T) {
	centers := data.Rows(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 0.5, 1}))
	coef := mat.NewDense(3, 1, []float64{1, -2, 3})
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 2}, kernel.ChiSquare{}} {
		for _, prepared := range []bool{false, true} {
			f, err := New(k, data.Points[kernel.Vec](centers), coef, nil)
			if err != nil {
				t.Fatal(err)
			}
			if prepared {
				f.Prepare()
			}
			d := gram.EmulatedDevice(1, 1<<24, 0)
			at := func(v float64) (*mat.Dense, error, error) {
				x := data.Rows(mat.NewDense(4, 2, []float64{1, 1, 2, 2, v, 3, 0, 1}))
				_, want := f.Evaluate(t.Context(), x)
				got, err := f.Evaluate(t.Context(), x, EvalOptions{Device: d})
				return got, err, want
			}
			for _, v := range []float64{1, math.NaN(), 5, math.Inf(1), -1, 2} {
				got, err, want := at(v)
				if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
					t.Fatalf("%T at %g: %v, want %v", k, v, err, want)
				}
				if err != nil && !strings.Contains(err.Error(), "row 2") {
					t.Error(err)
				}
				if err == nil && math.Abs(got.At(2, 0)-f.At(kernel.Vec{v, 3})[0]) > 1e-12 {
					t.Errorf("%T at %g: %g", k, v, got.At(2, 0))
				}
			}
			if len(d.Notes()) > 0 {
				t.Error(d.Notes())
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The centres of a prepared function stay on the device from one evaluation to the next: who asks
// in the name of the function finds them there, whatever kernel he brings.
func TestCentersStayOnTheDevice(t *testing.T) {
	centers := data.Points[kernel.Vec](data.Rows(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 0.5, 1})))
	f := &Func[kernel.Vec]{
		Kernel: kernel.Gaussian{Lengthscale: 2}, Centers: centers, Coef: mat.NewDense(3, 1, []float64{1, -2, 3}),
	}
	d := gram.EmulatedDevice(1, 1<<24, 0)
	x := data.Rows(mat.NewDense(2, 2, []float64{1, 1, 2, 2}))
	want, err := f.Prepare().Evaluate(t.Context(), x, EvalOptions{Device: d})
	if err != nil {
		t.Fatal(err)
	}
	owner := *f.open().base
	rows, done := gram.KeptDeviceRows(d, owner, kernel.OnVectors(kernel.Linear{}), data.Erase(centers), gram.Double, 0)
	got := mat.NewDense(2, 1, nil)
	if ok, err := rows.MulTo(t.Context(), got, data.Erase[kernel.Vec](x), f.Coef); !ok || err != nil {
		t.Fatal(ok, err)
	}
	done()
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("the device had other centres than those of the function: %v, want %v", got, want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
