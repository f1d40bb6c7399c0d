package gp

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// counted is a kernel that counts how often it is asked.
type counted struct {
	kernel.Kernel[kernel.Vec]
	asked *int
}

func (k counted) Eval(x, y kernel.Vec) float64 {
	*k.asked++
	return k.Kernel.Eval(x, y)
}

// Student's noise on targets that f goes through takes no more work than on others: the search for
// its scale ends at a bound, rows of great weight do not keep it from a gradient that rounding
// hides, and a weighted mean of one number is that number.
func TestStudentOfConstantTargets(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		what      string
		heavy, of float64 // weight of even rows, and of odd ones
		odd       float64 // their target; that of the others is 10
	}{{"one number", 1, 1, 10}, {"one number, weighted", 1000, 0.001, 10},
		{"two, of which one weighs nothing", 1000, 0.001, -10}} {
		x, y, w := make(data.Slice[kernel.Vec], n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = kernel.Vec{math.Sin(float64(3 * i)), math.Cos(float64(7 * i))}
			if w[i], y[i] = c.heavy, 10; i%2 == 1 {
				w[i], y[i] = c.of, c.odd
			}
		}
		asked := 0
		k := kernel.OnVectors(kernel.Kernel[kernel.Vec](counted{kernel.Gaussian{Lengthscale: 1}, &asked}))
		m, err := Laplace{Kernel: k, Likelihood: Student, FitMean: true, Weights: w,
			Resources: learn.Resources{Threads: 1}}.Fit(t.Context(), data.Erase(x), y)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		// of all rows at the points of one climb, n(n + 1)/2 or n² times
		if matrices := asked / (n * (n + 1) / 2); matrices > 120 {
			t.Errorf("%s: the kernel matrix was made %d times", c.what, matrices)
		}
		said, err := m.Predict(t.Context(), data.Erase(x))
		if err != nil || math.Abs(said[0]-10) > 0.05 {
			t.Errorf("%s: predicts %v, %v", c.what, said[:1], err)
		}
	}
}
