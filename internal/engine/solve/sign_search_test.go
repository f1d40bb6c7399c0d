package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// kernelColumns is a Gaussian kernel matrix of points in [-1, 1]: features as correlated as they
// come.
func kernelColumns(n int, width float64, seed uint64) (linalg.Matrix[float64], []float64, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
		y[i] = math.Sin(6*x[i]) + 0.1*rng.NormFloat64()
		w[i] = 0.5 + rng.Float64()
	}
	k := linalg.New[float64](n, n)
	for i := range n {
		for j := range n {
			k.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])/(2*width*width)))
		}
	}
	return k, y, w
}

// TestLassoOnKernelColumnsIsOptimal: the conditions X(w∘r) = λ·sign β where β ≠ 0 and |X(w∘r)| ≤ λ
// elsewhere, Σ w∘r = 0 for the intercept, with exact zeros, cold and along a path.
func TestLassoOnKernelColumnsIsOptimal(t *testing.T) {
	k, y, w := kernelColumns(120, 0.3, 4)
	for _, intercept := range []bool{false, true} {
		p := &Lasso{Columns: k, Target: y, Weight: w, Intercept: intercept, Tol: 1e-12}
		var warm *L1Solution
		for _, lambda := range []float64{1, 0.1, 0.01, 0.001} {
			cold, err := p.SolveFrom(context.Background(), lambda, nil)
			if err != nil {
				t.Fatal(err)
			}
			if warm, err = p.SolveFrom(context.Background(), lambda, warm); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*L1Solution{cold, warm} {
				if !s.Converged {
					t.Errorf("λ = %g: gap %g of %g after %d sweeps", lambda, s.Gap, s.Value, s.Iterations)
				}
				r := make([]float64, len(y))
				sum := 0.0
				for i := range r {
					f := s.Bias
					for j, b := range s.Beta {
						f += b * k.At(j, i)
					}
					r[i] = w[i] * (y[i] - f)
					sum += r[i]
				}
				if intercept && math.Abs(sum) > 1e-8 {
					t.Errorf("λ = %g: weighted residuals sum to %g", lambda, sum)
				}
				for j, b := range s.Beta {
					c := 0.0
					for i, v := range r {
						c += k.At(j, i) * v
					}
					if b != 0 && math.Abs(c-math.Copysign(lambda, b)) > 1e-4*lambda || math.Abs(c) > lambda*(1+1e-4) {
						t.Errorf("λ = %g: β[%d] = %g with correlation %g", lambda, j, b, c)
					}
				}
				if n := s.NonZero(); n == 0 || n > 40 {
					t.Errorf("λ = %g: %d features in use", lambda, n)
				}
			}
			if math.Abs(cold.Value-warm.Value) > 1e-10*cold.Value {
				t.Errorf("λ = %g: %g from 0, %g along the path", lambda, cold.Value, warm.Value)
			}
		}
	}
}

// TestL1LogisticOnKernelColumnsIsOptimal is the same for the logistic loss.
func TestL1LogisticOnKernelColumnsIsOptimal(t *testing.T) {
	k, y, w := kernelColumns(120, 0.3, 5)
	for i, v := range y {
		y[i] = math.Copysign(1, v)
	}
	p := &L1Logistic{Columns: k, Sign: y, Weight: w, Intercept: true, Tol: 1e-10}
	for _, lambda := range []float64{1, 0.1, 0.01} {
		s, err := p.Solve(context.Background(), lambda, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Converged {
			t.Errorf("λ = %g: gap %g of %g after %d steps", lambda, s.Gap, s.Value, s.Iterations)
		}
		for j, b := range s.Beta {
			c := 0.0
			for i, v := range y {
				f := s.Bias
				for l, e := range s.Beta {
					f += e * k.At(l, i)
				}
				c += w[i] * v * k.At(j, i) / (1 + math.Exp(v*f))
			}
			if b != 0 && math.Abs(c-math.Copysign(lambda, b)) > 1e-3*lambda || math.Abs(c) > lambda*(1+1e-3) {
				t.Errorf("λ = %g: β[%d] = %g with correlation %g", lambda, j, b, c)
			}
		}
	}
}

// Points that are repeated and kernels as wide as all of them leave few features that do not depend
// on others: the gap is reached there too, and not by ten thousand sweeps.
func TestLassoOnDependentColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 106
	at, y, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range at {
		at[i] = math.Round(40*rng.NormFloat64()) / 40
		y[i], w[i] = 47*math.Sin(3*at[i])+20*rng.NormFloat64(), 1
	}
	for _, width := range []float64{0.1, 1, 2, 4} {
		k := linalg.New[float64](n, n)
		for i := range n {
			for j := range n {
				k.Set(i, j, math.Exp(-(at[i]-at[j])*(at[i]-at[j])/(2*width*width)))
			}
		}
		for _, lambda := range []float64{0.1, 1, 10} {
			p := &Lasso{Columns: k, Target: y, Weight: w, Intercept: true}
			s, err := p.SolveFrom(context.Background(), lambda, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Converged || s.Iterations > 1000 {
				t.Errorf("width %g, λ = %g: gap %g of %g after %d sweeps", width, lambda, s.Gap, s.Value, s.Iterations)
			}
		}
	}
}
