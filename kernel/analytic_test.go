package kernel

import (
	"math"
	"testing"
)

// tail is how large the last Chebyshev coefficients of f on [-1, 1] are beside the largest: 1e-15 of
// a function that is analytic well around the interval, n^{-p-1} of one whose p-th derivative jumps
// within.
func tail(f func(t float64) float64) float64 {
	const n = 64
	values := make([]float64, n)
	for i := range values {
		values[i] = f(math.Cos(math.Pi * (float64(i) + 0.5) / n))
	}
	largest, last := 0.0, 0.0
	for j := range n {
		c := 0.0
		for i, v := range values {
			c += 2 * v / n * math.Cos(math.Pi*float64(j)*(float64(i)+0.5)/n)
		}
		largest = max(largest, math.Abs(c))
		if j >= n-8 {
			last = max(last, math.Abs(c))
		}
	}
	return last / largest
}

// What is said of a kernel is seen along a line through one of its points: the coefficients of
// x ↦ k(x, y) end for an analytic kernel, and go on for one that is not.
func TestAnalyticIsSeen(t *testing.T) {
	y, to := Vec{0.41, 0.52, 0.63}, Vec{0.11, -0.07, 0.05}
	at := func(k Kernel[Vec], reach float64) func(t float64) float64 {
		return func(t float64) float64 {
			x := make(Vec, 3)
			for i := range x {
				x[i] = y[i] + (t+0.013)*reach*to[i]
			}
			return k.Eval(x, y)
		}
	}
	gauss, rough := Kernel[Vec](Gaussian{Lengthscale: 0.7}), Kernel[Vec](Matern{Nu: 1.5, Lengthscale: 0.2})
	line := Kernel[Vec](Linear{})
	for name, c := range map[string]struct {
		k    Kernel[Vec]
		want Tri
	}{
		"linear": {line, Yes}, "poly": {Polynomial{Degree: 3, Offset: 1}, Yes}, "exponential": {Exponential{Gamma: 0.5}, Yes},
		"taylor": {Taylor{Coef: []float64{1, 1, 0.5}}, Yes}, "binomial": {Binomial{Alpha: 0.5}, Yes},
		"sigmoid": {Sigmoid{Gamma: 0.5}, Yes}, "hartley": {Hartley{}, Yes},
		"gaussian": {gauss, Yes}, "laplace": {Laplace{Lengthscale: 0.3}, No}, "laplacel1": {LaplaceL1{Lengthscale: 0.3}, No},
		"matern":     {rough, No},
		"matern 2.5": {Matern{Nu: 2.5, Lengthscale: 0.1}, No}, "wendland": {Wendland{Lengthscale: 0.4, Smoothness: 1, Dim: 3},
			No}, "rq": {RationalQuadratic{Lengthscale: 1, Alpha: 0.5}, Yes},
		"multiquadric": {Multiquadric{Lengthscale: 1}, Yes}, "thinplate": {ThinPlate{}, No},
		"periodic": {Periodic{Period: 3}, Yes}, "sinc": {Sinc{Bandwidth: 2}, Yes},
		"sobolev": {Sobolev{Order: 1}, No}, "radialsobolev": {RadialSobolev{}, No}, "chi2": {ChiSquare{}, Yes},
		"addchi2": {AdditiveChiSquare{}, Yes}, "intersection": {Intersection{}, No},
		"polynomialbasis": {Monomials{Degree: 2}, Yes}, "gaussianbasis": {GaussianBasis{Centers: []float64{0, 1}, Width: 0.8},
			Yes}, "sigmoidbasis": {SigmoidBasis{Centers: []float64{0, 1}, Width: 0.8}, Yes},
		"sinusoidbasis": {Sinusoids{Degree: 2}, Yes}, "ard": {ARD{Kernel: gauss, Lengthscales: []float64{1, 2, 3}}, Yes},
		"on":  {On(rough, 0, 1), No},
		"sum": {Sum(gauss, line), Yes}, "sum with one that is not": {Sum(gauss, rough), No},
		"product": {Product(gauss, line), Yes}, "product with one that is not": {Product(gauss, rough), Unknown},
		"scale": {Scale(2, rough), No}, "scale by 0": {Scale(0, rough), Yes}, "power": {Power(gauss, 2), Yes},
		"powers": {PowersOf[Vec]{Kernel: rough, Coef: []float64{1, 2}}, No},
		"exp":    {Exp(Scale(0.5, gauss)), Yes}, "exp of one that is not": {Exp(rough), No},
		"normalize": {Normalize(Kernel[Vec](Exponential{})), Yes}, "normalize of linear": {Normalize(line), Unknown},
		"normalize of one that is not": {Normalize(rough), No}, "tanimoto": {Tanimoto(gauss), Yes},
		"tanimoto of linear":        {Tanimoto(line), Unknown},
		"substitute":                {Substitute[Vec](Gaussian{}, line), Yes},
		"substitute in a rough one": {Substitute[Vec](Laplace{}, line), Unknown}, "constant": {ConstantOf[Vec]{2}, Yes},
		"multiply":                   {Multiply(func(x Vec) float64 { return x[0] }, gauss), Unknown},
		"pullback":                   {Pullback(gauss, func(x Vec) Vec { return x }), Unknown},
		"arcsine":                    {ArcSine(Sum[Vec](line, ConstantOf[Vec]{1}), 2), Yes},
		"arcsine of one that is not": {ArcSine(rough, 1), Unknown},
		"arccosine 0":                {ArcCosine(line, 0, 1), No},
		"arccosine 1":                {ArcCosine(Sum[Vec](line, ConstantOf[Vec]{1}), 1, 1), No},
		"arccosine 2":                {ArcCosine(Scale(2, line), 2, 1), No},
		"arccosine of a constant":    {ArcCosine[Vec](ConstantOf[Vec]{2}, 1, 1), Unknown},
		"arccosine of a gaussian":    {ArcCosine(gauss, 1, 2), No},
	} {
		if got := PropertiesOf(c.k).Analytic; got != c.want {
			t.Errorf("%s: analytic %v, want %v", name, got, c.want)
		}
		reach := 1.0
		if name == "arccosine 2" { // a jump in the fifth derivative by the angle, which is small on a short line
			reach = 10
		}
		switch last := tail(at(c.k, reach)); {
		case c.want == Yes && last > 1e-12:
			t.Errorf("%s is said to be analytic, and the tail of its series is %.2g", name, last)
		case c.want == No && last < 1e-12:
			t.Errorf("%s is said not to be analytic, and the tail of its series is %.2g", name, last)
		}
	}
	if got := PropertiesOf(DirectSum(gauss, rough)).Analytic; got != No && got != Unknown {
		t.Errorf("a direct sum with one that is not: %v", got)
	}
	if PropertiesOf(DirectSum(gauss, line)).Analytic != Yes || PropertiesOf(Tensor(gauss, line)).Analytic != Yes ||
		PropertiesOf(Tensor(gauss, rough)).Analytic != Unknown {
		t.Error("direct sum or tensor product")
	}
}
