package ridge

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// A spectrum from a device is one of the matrix, a column for each eigenvector; so is the path that
// is made of it, and that of a device which is lost.
func TestSpectrumOnDevice(t *testing.T) {
	for _, n := range []int{1, 5, 70} {
		a := linalg.New[float64](n, n)
		for i := range n {
			for j := range n {
				a.Set(i, j, math.Exp(-math.Abs(float64(i-j))/3)+float64(i*j)/float64(n*n))
			}
		}
		d := gram.EmulatedDevice(1, 1<<30, 0)
		values, u, err := spectrum(t.Context(), d, 2, a.Clone())
		if err != nil || len(d.Notes()) > 0 {
			t.Fatal(err, d.Notes())
		}
		for c := range n {
			for i := range n {
				s := -values[c] * u.At(i, c)
				for j := range n {
					s += a.At(i, j) * u.At(j, c)
				}
				if !(math.Abs(s) <= 1e-10*float64(n)) || c > 0 && values[c] < values[c-1] {
					t.Fatalf("n = %d: column %d is no eigenvector of %g: off by %g", n, c, values[c], s)
				}
			}
		}
	}
	p := learntest.Problem(80, data.Regression, 6)
	at := func(d *gram.Device) *mat.Dense {
		path, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Intercept: true,
			Resources: learn.Resources{Device: d}}.Path(t.Context(), p.Points, p.Y)
		if err != nil {
			t.Fatal(err)
		}
		m, err := path.Model(0.1)
		if err != nil {
			t.Fatal(err)
		}
		return m.Func().Coef
	}
	want := at(nil)
	for _, after := range []int{0, 1, 2} {
		if !mat.EqualApprox(at(gram.EmulatedDevice(1, 1<<30, after)), want, 1e-8) {
			t.Errorf("lost after %d launches: another path", after)
		}
	}
}
