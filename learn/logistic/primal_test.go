package logistic

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Steps on the weights of explicit features end where those in the kernel's own coordinates do:
// with and without intercept, with weights (none among them), on classes that lie far apart, and
// far from the origin.
func TestPrimalAgainstTruncated(t *testing.T) {
	x, y := learntest.Blobs(80, 3, 2, 1.5, 6)
	apart := mat.DenseCopyOf(x)
	for i, c := range y {
		apart.Set(i, 0, x.At(i, 0)+50*float64(c))
	}
	distant := mat.DenseCopyOf(x)
	for i := range y {
		distant.Set(i, 1, x.At(i, 1)+1e5)
	}
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	type c = Regression[kernel.Vec, int]
	for name, s := range map[string]struct {
		c c
		x *mat.Dense
	}{
		"plain":      {c{Kernel: kernel.Linear{}}, x},
		"intercept":  {c{Kernel: kernel.Linear{}, Intercept: true, Lambda: 0.01}, x},
		"weights":    {c{Kernel: kernel.Linear{}, Intercept: true, Weights: weights}, x},
		"apart":      {c{Kernel: kernel.Linear{}, Intercept: true, Lambda: 1e-3}, apart},
		"distant":    {c{Kernel: kernel.Linear{}, Intercept: true}, distant},
		"polynomial": {c{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Intercept: true}, x},
	} {
		other := s.c
		other.Method = Truncated
		rows := data.Rows(s.x)
		m, want := modeltest.Must(s.c.Fit(learntest.Ctx, rows, y))(t), modeltest.Must(other.Fit(learntest.Ctx, rows, y))(t)
		p, q := modeltest.Proba(t, m, rows), modeltest.Proba(t, want, rows)
		for i := range y {
			if d := math.Abs(p.At(i, 1) - q.At(i, 1)); !(d < 1e-6) {
				t.Errorf("%s: probability of row %d is %g, otherwise %g", name, i, p.At(i, 1), q.At(i, 1))
				break
			}
		}
		if a, b := m.Report(), want.Report(); !a.Converged || math.Abs(a.Objective-b.Objective) > 1e-9*(1+b.Objective) {
			t.Errorf("%s: objective %g to %g, otherwise %g to %g", name, a.Objective, a.Certificate, b.Objective, b.Certificate)
		}
		if a := m.Report(); a.Iterations > 30 {
			t.Errorf("%s: %d steps", name, a.Iterations)
		}
	}
}

// Of many features the metric of a step is made in single precision, of which columns of very
// different size, and columns that nearly say the same, leave no digit: the weights still are where
// the gradient vanishes, Σᵢ (pᵢ - yᵢ)·xᵢ + λ·u = 0, summed here by hand.
func TestPrimalWithoutDigitsInSinglePrecision(t *testing.T) {
	const n, d, lambda = 150, 50, 1e-3
	x, y := learntest.Blobs(n, d, 2, 1.5, 6)
	for i := range n {
		for j := range d {
			switch {
			case j%5 == 1:
				x.Set(i, j, 1e5*x.At(i, j))
			case j%5 == 3:
				x.Set(i, j, x.At(i, j-2)*(1+1e-9*float64(i%7)))
			}
		}
	}
	for _, intercept := range []bool{false, true} {
		m := modeltest.Must(Regression[kernel.Vec, int]{Kernel: kernel.Linear{}, Lambda: lambda,
			Intercept: intercept}.Fit(learntest.Ctx, data.Rows(x), y))(t)
		if r := m.Report(); !r.Converged {
			t.Errorf("intercept %v: %v", intercept, r)
		}
		p := modeltest.Proba(t, m, data.Rows(x))
		left := make([]float64, n)
		sum := 0.0
		for i, c := range y {
			left[i] = p.At(i, 1) - float64(c)
			sum += left[i]
		}
		if intercept && math.Abs(sum) > 1e-6 {
			t.Errorf("Σ (p - y) = %g", sum)
		}
		u := m.Func().Centers.At(0)
		for j := range d {
			gradient, size := lambda*u[j]*m.Func().Coef.At(0, 0), 0.0
			for i := range n {
				gradient += left[i] * x.At(i, j)
				size += math.Abs(x.At(i, j)) / 2
			}
			if math.Abs(gradient) > 1e-6*size {
				t.Errorf("intercept %v: gradient of weight %d is %g of %g", intercept, j, gradient, size)
			}
		}
	}
}
