package rkhs

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// Where the steps do not end at a minimum the solver says so: a bias of 1e42, at which a gap of 0 is what is left of numbers that cancel, was given for a solution.
func TestHingeThatIsNotSolved(t *testing.T) {
	x, y := points(24, 2, 1), signs(24)
	for _, lambda := range []float64{0.1, 0.266, 1, 20} {
		f, cert, err := Representer[vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Loss: HingeLoss{}, Lambda: lambda, WithBias: true, Tol: 1e-6}.Solve(ctx, x, y)
		if err == nil && (!cert.Converged || !(cert.Objective < 1) || math.Abs(f.Bias[0]) > 1.5) || err != nil && !strings.Contains(err.Error(), "no minimum was found") {
			t.Errorf("λ = %g: %+v, %v", lambda, cert, err)
		}
	}
}

// Losses with kinks are solved to a gap that holds, with and without a bias; the kinks are where the solution sits. The optimality
// conditions are the oracle: -λnαᵢ is a derivative of ℓ at the prediction, one of those between both sides at a kink.
func TestRepresenterThroughKinks(t *testing.T) {
	x, y := points(60, 2, 1), signs(60)
	values := make([]float64, 60)
	for i := range values {
		values[i] = math.Sin(2*x.At(i)[0]) + 0.3*float64(i%7)
	}
	pinball := LossFunc(func(y, z float64) (float64, float64) { // the 0.8 quantile
		if z < y {
			return 0.8 * (y - z), -0.8
		}
		return 0.2 * (z - y), 0.2
	})
	for name, c := range map[string]struct {
		loss      Loss
		y         []float64
		low, high float64 // slopes
	}{
		"hinge": {HingeLoss{}, y, -1, 0}, "absolute": {AbsoluteLoss{}, values, -1, 1}, "pinball": {pinball, values, -0.8, 0.2},
	} {
		for _, lambda := range []float64{1e-3, 0.1} {
			for _, bias := range []bool{false, true} {
				r := Representer[vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Loss: c.loss, Lambda: lambda, WithBias: bias}
				f, cert, err := r.Solve(ctx, x, c.y)
				if err != nil {
					t.Fatal(name, err)
				}
				atZero := 0.0
				for _, v := range c.y {
					l, _ := c.loss.Value(v, 0)
					atZero += l / 60
				}
				if !cert.Converged || cert.Gap > 1e-8*atZero {
					t.Errorf("%s, λ = %g, bias %v: %+v", name, lambda, bias, cert)
				}
				j, sum := 0.5*lambda*f.Norm()*f.Norm(), 0.0
				kinks := 0
				for i := range 60 {
					z := f.At(x.At(i))[0]
					v, d := c.loss.Value(c.y[i], z)
					j += v / 60
					s := -60 * lambda * f.Coef.At(i, 0)
					sum += s / 60
					_, left := c.loss.Value(c.y[i], z-1e-3)
					_, right := c.loss.Value(c.y[i], z+1e-3)
					if left == right && math.Abs(s-d) > 1e-6 || !(s >= left-1e-6 && s <= right+1e-6) {
						t.Errorf("%s, λ = %g, bias %v: point %d has the slope %g, between %g and %g", name, lambda, bias, i, s, left, right)
					}
					if left != right {
						kinks++
					}
				}
				if kinks == 0 {
					t.Errorf("%s, λ = %g: no point at a kink, which is what this is about", name, lambda)
				}
				near(t, name+": J", cert.Objective, j, 1e-10)
				if bias {
					near(t, name+": Σs", sum, 0, 1e-4)
				}
			}
		}
	}
}
