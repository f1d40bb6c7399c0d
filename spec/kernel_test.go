package spec

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// samples has a text for every entry of the catalogue and every rule of the
// algebra, each already in the form that is printed.
var samples = []string{
	"overlap(weights=[1, 2])", "categorical(decay=0.5)",
	"linear()", "poly(degree=3, gamma=0.5, offset=1)", "exponential(gamma=0.1)", "taylor(coef=[1, 0.5, 0], radius=2)",
	"binomial(alpha=0.5)", "sigmoid(gamma=0.1, offset=-1)", "cosine()", "quadratic(a=[[2, 0.1], [0.1, 1]])",
	"gaussian(lengthscale=2)", "gaussian(lengthscale=[1, 0.3])", "laplace(lengthscale=0.7)", "laplacel1(lengthscale=0.1)",
	"matern(lengthscale=3, nu=2.5)", "matern(lengthscale=[3, 1], nu=0.7)", "rq(lengthscale=2, alpha=0.3)",
	"periodic(period=12, lengthscale=0.5)", "fourier(coef=[1, 0.5, 0.25])", "theta(sigma=0.5)", "sinc(bandwidth=3)",
	"sobolev(order=2)", "radialsobolev()", "chi2(gamma=0.5)", "addchi2()", "intersection()",
	"polynomialbasis(degree=3)", "gaussianbasis(centers=[0, 0.5, 1], width=0.2)", "sigmoidbasis(centers=[0, 1], width=0.1)",
	"on(gaussian(lengthscale=2), columns=[1])", "ard(linear(), lengthscales=[1, 2])", "mahalanobis(gaussian(lengthscale=1), sigma=[[2, 0.5], [0.5, 1]])",
	"0.5*gaussian(lengthscale=[1, 2]) + linear()^2", "linear() + 1", "(linear() + 1)*cosine()", "0.25*linear()*cosine()",
	"(0.25*linear())*cosine()", "2*(3*linear())", "constant(c=2)*linear()", "2*constant(c=3)", "0.5",
	"(linear()*cosine())^3", "(linear()^2)^2", "exp(0.5*linear())", "normalize(poly(degree=2, gamma=1, offset=1))",
	"polynomial(linear(), coef=[0, 1, 0.5])", "polynomial(cosine(), coef=[1, 1], bound=1, error=1e-09)",
	"substitute(gaussian(lengthscale=2), linear())",
}

func TestKernelTextRoundTrips(t *testing.T) {
	x, y := []float64{0.3, 0.4}, []float64{0.5, 0.1}
	for _, text := range samples {
		k, err := ParseKernel(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := FormatKernel(k)
		if err != nil || got != text {
			t.Errorf("%s is printed as %q (%v)", text, got, err)
			continue
		}
		again, err := ParseKernel(got)
		if err != nil {
			t.Errorf("%s: %v", got, err)
			continue
		}
		if strings.Contains(text, "fourier") || strings.Contains(text, "theta") {
			x, y = x[:1], y[:1]
		} else {
			x, y = x[:2], y[:2]
		}
		if a, b := k.Eval(x, y), again.Eval(x, y); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("%s: value %g, after a round trip %g", text, a, b)
		}
	}
}

func TestEveryEntryHasASample(t *testing.T) {
	all := strings.Join(samples, " ")
	for _, name := range Vectors().Names() {
		if !strings.Contains(all, name+"(") {
			t.Errorf("no sample uses %q", name)
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
	for _, s := range samples {
		f.Add(s)
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
