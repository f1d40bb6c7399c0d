package spec

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// Numbers keep every bit through text.
func TestKernelTextKeepsBits(t *testing.T) {
	x, y := []float64{0.3, 0.4, 0.1}, []float64{0.5, 0.1, 0.2}
	for _, e := range append(Algebra(), Vectors()...) {
		for _, text := range e.Samples {
			if e.Domain == Angle {
				x, y = x[:1], y[:1]
			} else {
				x, y = x[:3], y[:3]
			}
			k, err := ParseKernel(text)
			if err != nil {
				t.Fatal(err)
			}
			printed, err := FormatKernel(k)
			if err != nil {
				t.Fatal(err)
			}
			again, err := ParseKernel(printed)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := k.Eval(x, y), again.Eval(x, y); math.Float64bits(a) != math.Float64bits(b) {
				t.Errorf("%s: value %g, after a round trip %g", text, a, b)
			}
		}
	}
}

func TestKernelErrorsNameColumnAndRemedy(t *testing.T) {
	for _, c := range []struct {
		text, message string
		column        int
	}{
		{"gausian(lengthscale=2) + linear()", `unknown kernel "gausian" at column 1; did you mean "gaussian"?`, 1},
		{"linear() + gaussian(lenghtscale=2)", `did you mean "lengthscale"?`, 21},
		{"gaussian(lengthscale=-2)", "lengthscale", 1},
		{"gaussian(lengthscale=0)", "want > 0", 22},
		{"gaussian(lengthscale=[1, x()])", "number", 26},
		{"gaussian(lengthscale=[1, 0])", "lengthscale[1]", 1},
		{"matern()", `needs "nu"`, 1},
		{"matern(nu=0)", "nu", 1},
		{"linear() + -2*cosine()", "negative", 12},
		{"linear()^0.5", "exponent", 1},
		{"linear(3)", "has only 0 parameters", 8},
		{"gaussian(2, 3)", "has only 1 parameters", 13},
		{"gaussian(2, lengthscale=3)", "twice", 13},
		{"poly(degree=2.5)", "whole number", 13},
		{"quadratic(a=[[1, 2], [2, 1]])", "eigenvalue", 1},
		{"quadratic(a=[[1, 2], [3, 1]])", "not symmetric", 13},
		{"mahalanobis(gaussian(), sigma=[[1, 2], [2, 1]])", "not positive definite", 1},
		{"substitute(linear(), linear())", "squared distance", 12},
		{"exp()", `needs "kernel"`, 1},
		{"[1, 2]", "not a kernel", 1},
	} {
		_, err := ParseKernel(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, want an *Error", c.text, err)
			continue
		}
		if e.Column != c.column || !strings.Contains(e.Error(), c.message) {
			t.Errorf("%s: %v, want %q at column %d", c.text, e, c.message, c.column)
		}
	}
}

func TestKernelsWithFunctionsHaveNoText(t *testing.T) {
	k := kernel.Multiply(func(x kernel.Vec) float64 { return x[0] }, kernel.Kernel[kernel.Vec](kernel.Linear{}))
	if text, err := FormatKernel(kernel.Sum[kernel.Vec](k, kernel.Linear{})); err == nil {
		t.Fatalf("printed as %q, want an error", text)
	}
}

func FuzzParseKernel(f *testing.F) {
	for _, e := range append(Algebra(), Vectors()...) {
		for _, s := range e.Samples {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseKernel(text)
		if err != nil {
			return
		}
		once, err := FormatKernel(k)
		if err != nil {
			t.Fatalf("%q parses but does not print: %v", text, err)
		}
		again, err := ParseKernel(once)
		if err != nil {
			t.Fatalf("%q is printed as %q, which does not parse: %v", text, once, err)
		}
		if twice, err := FormatKernel(again); err != nil || twice != once {
			t.Fatalf("%q is printed as %q, then %q (%v)", text, once, twice, err)
		}
	})
}
