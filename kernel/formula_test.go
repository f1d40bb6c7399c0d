package kernel

import (
	"fmt"
	"math"
	"testing"
)

// evaluateFormula is what a formula means, a pair at a time.
func evaluateFormula(f Formula, x, y Vec) float64 {
	var stack []float64
	image := func(s FormulaSource, x Vec) Vec {
		if s.Map == nil {
			return x
		}
		u := make(Vec, s.Dim(len(x)))
		s.Map(u, x)
		return u
	}
	for _, s := range f.Steps {
		switch s.Kind {
		case StepMetric:
			src := f.Sources[s.N]
			stack = append(stack, src.Metric.Between(image(src, x), image(src, y)))
			continue
		case StepConstant:
			stack = append(stack, s.A)
			continue
		case StepAdd, StepMultiply:
			n := len(stack)
			a, b := stack[n-2], stack[n-1]
			stack = append(stack[:n-2], a+b)
			if s.Kind == StepMultiply {
				stack[n-2] = a * b
			}
			continue
		}
		top := &stack[len(stack)-1]
		v := *top
		switch s.Kind {
		case StepAffine:
			*top = s.A*v + s.B
		case StepExp:
			*top = math.Exp(s.A * v)
		case StepSqrt:
			*top = math.Sqrt(v)
		case StepPower:
			*top = math.Pow(v, float64(s.N))
		case StepRatio:
			*top = math.Pow(1+s.A*v, s.B)
		case StepTanh:
			*top = math.Tanh(v)
		case StepPolyExp:
			z := s.A * math.Sqrt(v)
			*top = horner(s.Coef, z) * math.Exp(-z)
		}
	}
	return stack[0]
}

// A formula gives the values of its kernel.
func TestFormula(t *testing.T) {
	ks := []Kernel[Vec]{
		Gaussian{2}, Laplace{1.5}, LaplaceL1{2}, Matern{Nu: 0.5}, Matern{Nu: 1.5, Lengthscale: 2}, Matern{Nu: 2.5},
		Matern{Nu: 4.5}, RationalQuadratic{2, 3}, Linear{},
		Polynomial{0.5, 1, 3}, Exponential{0.2}, Sigmoid{0.3, -1}, ChiSquare{0.7}, Intersection{}, Constant[Vec](3),
		Sum[Vec](Gaussian{}, Scale[Vec](0.5, Linear{}), Constant[Vec](2)), Product[Vec](Gaussian{2}, Polynomial{}, Laplace{}),
		Power[Vec](Laplace{}, 3), Exp[Vec](Scale[Vec](0.1, Linear{})),
		ARD{Gaussian{}, []float64{1, 2, math.Inf(1), 0.5}}, On(Laplace{}, 1, 3), On(ARD{Gaussian{}, []float64{2, 3}}, 0, 2),
		Sum[Vec](On(Gaussian{}, 1), On(Linear{}, 1), On(Gaussian{2}, 1)),
	}
	x, y := Vec{0.3, 1.2, 0.7, 2.1}, Vec{1.1, 0.4, 0.9, 1.3}
	for _, k := range ks {
		f, ok := FormulaOf(k)
		if !ok {
			t.Errorf("%#v has no formula", k)
			continue
		}
		for _, p := range [][2]Vec{{x, y}, {y, x}, {x, x}} {
			if got, want := evaluateFormula(f, p[0], p[1]), k.Eval(p[0],
				p[1]); !(math.Abs(got-want) <= 1e-14*math.Max(1, math.Abs(want))) {
				t.Errorf("%#v: %g, want %g", k, got, want)
			}
		}
	}
	if f, _ := FormulaOf(ks[len(ks)-1]); len(f.Sources) != 2 {
		t.Error("two kernels of one metric of the same columns have", len(f.Sources), "sources with a third")
	}
	for _, k := range []Kernel[Vec]{Matern{Nu: 1.2}, Multiply(func(Vec) float64 { return 2 }, Kernel[Vec](Gaussian{})),
		Normalize[Vec](Linear{}), Sum[Vec](Gaussian{}, Matern{Nu: 0.7}), DotProduct{Kappa: math.Exp}} {
		if _, ok := FormulaOf(k); ok {
			t.Errorf("%T has a formula", k)
		}
	}
}

func ExampleFormulaOf() {
	f, ok := FormulaOf(Sum[Vec](Gaussian{Lengthscale: 1}, Constant[Vec](2)))
	fmt.Println(ok, len(f.Sources), f.Sources[0].Metric)
	for _, s := range f.Steps {
		fmt.Println(s.Kind, s.A)
	}
	// Output:
	// true 1 squared distance
	// 0 0
	// 3 -0.5
	// 1 2
	// 9 0
}
