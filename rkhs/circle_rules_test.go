package rkhs

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

func randomCircle(t *testing.T, seed uint64) *CircleFunc {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	coef := []complex128{complex(rng.NormFloat64(), 0)}
	for range 4 {
		coef = append(coef, complex(rng.NormFloat64(), rng.NormFloat64()))
	}
	f, err := NewCircleFunc(kernel.Fourier{Coef: []float64{1, 0.5, 0.25, 0.1, 0.05}}, coef)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every rule is what it says of values, at many places; derivatives against differences, Parseval
// against the trapezoid rule, which is exact for so few frequencies.
func TestCircleRules(t *testing.T) {
	f, g := randomCircle(t, 1), randomCircle(t, 2)
	const by, h = 0.7, 1e-5
	shift, slope, mirror, second := f.Shift(by), f.Derivative(), f.Mirror(), f.Derivative().Derivative()
	integral := 0.0
	const steps = 64
	for i := range steps {
		x := 2 * math.Pi * float64(i) / steps
		near(t, "shift", shift.At(x), f.At(x-by), 1e-12)
		near(t, "mirror", mirror.At(x), f.At(-x), 1e-12)
		near(t, "slope", slope.At(x), (f.At(x+h)-f.At(x-h))/(2*h), 1e-7)
		near(t, "second", f.DerivativeAt(x, 2), second.At(x), 1e-12)
		near(t, "second by differences", second.At(x), (slope.At(x+h)-slope.At(x-h))/(2*h), 1e-6)
		integral += f.At(x) * g.At(x) / steps
	}
	near(t, "Parseval", f.L2Inner(g), integral, 1e-12)
	near(t, "L2 norm", math.Sqrt(f.L2Inner(f)), f.L2Norm(), 1e-12)
	near(t, "norm of a shift", shift.Norm(), f.Norm(), 1e-12)
	near(t, "norm of a mirror", mirror.Norm(), f.Norm(), 1e-12)
	// ⟨f, f′⟩ = 0: a shift does not change the norm.
	inner, err := f.Inner(slope)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "f against its slope", inner, 0, 1e-12)
	// An even function has real coefficients.
	even := &CircleFunc{f.Space, nil}
	for _, c := range f.Coef {
		even.Coef = append(even.Coef, complex(real(c), 0))
	}
	near(t, "even", even.At(1.3), even.At(-1.3), 1e-12)
}

// Evaluating a derivative is an inner product with that of the kernel.
func TestCircleDerivativeReproduces(t *testing.T) {
	f := randomCircle(t, 3)
	for n := range 4 {
		for _, x := range []float64{0, 0.4, 2, -5} {
			k := make([]complex128, len(f.Coef))
			for l := range k {
				k[l] = complex(f.Space.Coef[l], 0) * cmplx.Pow(complex(0, -float64(l)), complex(float64(n), 0)) * cmplx.Rect(1,
					-float64(l)*x)
			}
			if n > 0 {
				k[0] = 0
			}
			got, err := f.Inner(&CircleFunc{f.Space, k})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "derivative", f.DerivativeAt(x, n), got, 1e-10)
		}
	}
	empty := &CircleFunc{f.Space, nil}
	if empty.Shift(1).At(2) != 0 || empty.Derivative().At(2) != 0 || empty.L2Inner(f) != 0 {
		t.Error("of nothing comes something")
	}
}
