package spec_test

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/spec"
)

// conforming has a text for every entry of the catalogue and every rule of the algebra, with
// the kind of points it is defined on.
var conforming = []struct {
	text   string
	points string
	tol    float64
}{
	{text: "linear()"}, {text: "poly(degree=3, gamma=0.5, offset=1)"}, {text: "exponential(gamma=0.1)"},
	{text: "taylor(coef=[1, 0.5, 0.25], radius=2)", points: "ball"}, {text: "binomial(alpha=0.5)", points: "ball"},
	{text: "sigmoid(gamma=0.1, offset=-1)"}, {text: "cosine()"}, {text: "quadratic(a=[[2, 0.1, 0], [0.1, 1, 0.2], [0, 0.2, 1]])"},
	{text: "gaussian(lengthscale=2)"}, {text: "gaussian(lengthscale=[1, 0.3, 2])"}, {text: "laplace(lengthscale=0.7)", tol: 1e-7},
	{text: "laplacel1(lengthscale=0.9)"}, {text: "matern(lengthscale=3, nu=2.5)"}, {text: "matern(lengthscale=[3, 1, 2], nu=1.7)"},
	{text: "rq(lengthscale=2, alpha=0.3)"}, {text: "periodic(period=12, lengthscale=0.5)"}, {text: "fourier(coef=[1, 0.5, 0.25])", points: "angle"},
	{text: "theta(sigma=0.8)", points: "angle"}, {text: "theta(sigma=0.3)", points: "angle"}, {text: "sinc(bandwidth=3)"},
	{text: "sobolev(order=1)", points: "cube"}, {text: "sobolev(order=2)", points: "cube"}, {text: "radialsobolev()", points: "cube"},
	{text: "chi2(gamma=0.5)", points: "cube"}, {text: "addchi2()", points: "cube"}, {text: "intersection()", points: "cube"},
	{text: "overlap()", points: "codes"}, {text: "overlap(weights=[1, 0, 2.5])", points: "codes"},
	{text: "categorical(decay=0.7)", points: "codes"}, {text: "categorical(decay=2, weights=[1, 0.5, 2])", points: "codes"},
	{text: "on(gaussian(), columns=[0])*on(categorical(decay=0.5), columns=[1, 2])", points: "codes"},
	{text: "polynomialbasis(degree=3)"}, {text: "gaussianbasis(centers=[0, 0.5, 1], width=0.2)"}, {text: "sigmoidbasis(centers=[0, 1], width=0.4)"},
	{text: "on(gaussian(lengthscale=2), columns=[1, 2])"}, {text: "ard(linear(), lengthscales=[1, 2, 3])"},
	{text: "mahalanobis(gaussian(lengthscale=1), sigma=[[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])"},

	{text: "0.5*gaussian(lengthscale=2) + linear()*periodic(period=3, lengthscale=1)"},
	{text: "0.5*gaussian(lengthscale=[1, 2, 0.3]) + linear()^2"}, {text: "(linear() + 1)*cosine()"}, {text: "2*constant(c=3)"},
	{text: "exp(0.05*linear())"}, {text: "normalize(poly(degree=2, gamma=1, offset=1) + addchi2())", points: "cube"},
	{text: "polynomial(gaussian(lengthscale=1), coef=[0.5, 1, 0.25])"}, {text: "polynomial(cosine(), coef=[1, 1], bound=1.0001, error=1e-09)"},
	{text: "substitute(gaussian(lengthscale=2), poly(degree=2, gamma=0.3, offset=1))"},
	{text: "sinc(bandwidth=1.5)*on(sobolev(order=2), columns=[0]) + chi2(gamma=1)", points: "cube"},
	{text: "normalize(substitute(rq(lengthscale=1, alpha=2), gaussianbasis(centers=[0, 1], width=1)))^2"},
}

func pointsOf(kind string) data.Points[kernel.Vec] {
	switch kind {
	case "cube":
		return kerneltest.UnitCube(2, 16, 3)
	case "ball":
		return kerneltest.Ball(3, 16, 3)
	case "codes":
		return kerneltest.Codes(5, 16, 3)
	case "angle":
		return kerneltest.Vectors(4, 16, 1)
	}
	return kerneltest.Vectors(1, 16, 3)
}

// Every kernel that has a text passes the whole conformance suite, the round trip through text
// included.
func TestEveryKernelOfTheCatalogueConforms(t *testing.T) {
	for _, c := range conforming {
		t.Run(c.text, func(t *testing.T) {
			k, err := spec.ParseKernel(c.text)
			if err != nil {
				t.Fatal(err)
			}
			o := kerneltest.Options[kernel.Vec]{Points: pointsOf(c.points), Tolerance: c.tol, RoundTrip: throughText}
			if c.points == "" {
				o.Adversarial = kerneltest.Adversarial(3)
			}
			kerneltest.Run(t, k, o)
		})
	}
	all := ""
	for _, c := range conforming {
		all += " " + c.text
	}
	for _, name := range spec.Vectors().Names() {
		if !strings.Contains(all, name+"(") {
			t.Errorf("%q is not run through the suite", name)
		}
	}
}

// throughText prints a kernel and reads it back.
func throughText(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
	text, err := spec.FormatKernel(k)
	if err != nil {
		return nil, err
	}
	return spec.ParseKernel(text)
}
