package kernel_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/spec"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// sample says which points a kernel is defined on.
type sample int

const (
	plane sample = iota // R³
	cube                // (0, 1)³
	ball                // ‖x‖ < 1 in R³
	angle               // R
	codes               // -1, 0, 1, 2 in three columns
)

func (s sample) points() data.Points[Vec] {
	switch s {
	case cube:
		return kerneltest.UnitCube(2, 20, 3)
	case ball:
		return kerneltest.Ball(3, 20, 3)
	case angle:
		return kerneltest.Vectors(4, 20, 1)
	case codes:
		return kerneltest.Codes(5, 20, 3)
	}
	return kerneltest.Vectors(1, 20, 3)
}

var spd = mat.NewSymDense(3, []float64{2, 0.5, 0.1, 0.5, 1, -0.3, 0.1, -0.3, 1.5})

func mahalanobis() Kernel[Vec] {
	m, err := NewMahalanobis(Matern{Nu: 1.5, Lengthscale: 1.2}, spd)
	if err != nil {
		panic(err)
	}
	return m
}

func series() Kernel[Vec] {
	k, err := Series[Vec](Gaussian{}, func(n int) float64 { return math.Pow(0.5, float64(n)) }, 2, 1, 1e-12)
	if err != nil {
		panic(err)
	}
	return k
}

// userKernel is a kernel known by Eval alone, with a parameter and no derivative.
type userKernel struct{ scale float64 }

func (k userKernel) Eval(x, y Vec) float64 {
	return math.Exp(-k.scale * SqDist.Between(x, y))
}
func (k userKernel) Params() []Param {
	return []Param{{Name: "user.scale", Value: k.scale, Domain: Domain{High: 100, OpenLow: true}}}
}
func (userKernel) With(theta []float64) Kernel[Vec] { return userKernel{theta[0]} }

// userProfile has a profile and no derivative of it.
type userProfile struct{ userKernel }

func (userProfile) Metric() Metric { return SqDist }
func (k userProfile) Profile(m []float64) {
	for i, v := range m {
		m[i] = math.Exp(-k.scale * v)
	}
}

type subject struct {
	name   string
	k      Kernel[Vec]
	sample sample
	tol    float64
	kinks  bool
}

// fromText is every sample of the table of kernels and of that of operators.
func fromText() []subject {
	on := map[spec.Domain]sample{spec.Cube: cube, spec.Ball: ball, spec.Angle: angle, spec.Codes: codes}
	var all []subject
	for _, e := range append(spec.Algebra(), spec.Vectors()...) {
		for _, text := range e.Samples {
			k, err := spec.ParseKernel(text)
			if err != nil {
				panic(err)
			}
			all = append(all, subject{name: text, k: k, sample: on[e.Domain]})
		}
	}
	return all
}

// subjects is every kernel that has a text, those that have none, and trees of them.
func subjects() []subject {
	return append(fromText(), []subject{
		{name: "linear", k: Linear{}},
		{name: "poly", k: Polynomial{Gamma: 0.5, Offset: 1.5, Degree: 3}},
		{name: "poly homogeneous", k: Polynomial{Degree: 4}},
		{name: "quadratic", k: QuadraticForm{A: spd}},
		{name: "gaussian", k: Gaussian{Lengthscale: 1.3}},
		{name: "gaussian ard", k: ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "matern ard", k: ARD{Kernel: Matern{Nu: 2.5}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "laplacel1 ard", k: ARD{Kernel: LaplaceL1{}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "linear ard", k: ARD{Kernel: Linear{}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "ard of a sum", k: ARD{Kernel: Sum(Kernel[Vec](Gaussian{2}), Periodic{2, 1.5}),
			Lengthscales: []float64{1, 2, 0.7}}},
		{name: "ard of sinc", k: ARD{Kernel: Sinc{}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "ard of normalize", k: ARD{Kernel: Normalize[Vec](Polynomial{Offset: 1}), Lengthscales: []float64{1, 2, 0.7}}},
		{name: "ard of user", k: ARD{Kernel: userKernel{0.5}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "user profile", k: userProfile{userKernel{0.5}}},
		{name: "ard of user profile", k: ARD{Kernel: userProfile{userKernel{0.5}}, Lengthscales: []float64{1, 2, 0.7}}},
		{name: "mahalanobis", k: mahalanobis()},
		{name: "laplace", k: Laplace{Lengthscale: 1.7}, tol: 1e-7},
		{name: "laplacel1", k: LaplaceL1{Lengthscale: 2}},
		{name: "matern 0.5", k: Matern{Nu: 0.5, Lengthscale: 1.5}, tol: 1e-7},
		{name: "matern 0.3", k: Matern{Nu: 0.3, Lengthscale: 1.5}, tol: 1e-5},
		{name: "matern 1.5", k: Matern{Nu: 1.5, Lengthscale: 1.5}},
		{name: "matern 2.5", k: Matern{Nu: 2.5, Lengthscale: 0.8}},
		{name: "matern 3.5", k: Matern{Nu: 3.5, Lengthscale: 0.8}},
		{name: "matern 1.9", k: Matern{Nu: 1.9, Lengthscale: 1.1}},
		{name: "matern 1", k: Matern{Nu: 1, Lengthscale: 1.1}},
		{name: "matern 60", k: Matern{Nu: 60, Lengthscale: 1.1}},
		{name: "wendland 0", k: Wendland{Lengthscale: 5}, tol: 1e-7},
		{name: "wendland 1", k: Wendland{Lengthscale: 3, Smoothness: 1, Dim: 4}},
		{name: "wendland 2", k: Wendland{Lengthscale: 5, Smoothness: 2}},
		{name: "normalized intersection", k: Normalize[Vec](Intersection{}), sample: cube},
		{name: "normalized sobolev", k: Normalize[Vec](Sobolev{}), sample: cube},
		{name: "normalized radial sobolev", k: Normalize[Vec](RadialSobolev{}), sample: cube},
		{name: "intersection ard", k: ARD{Kernel: Intersection{}, Lengthscales: []float64{1, 2, 0.7}}, sample: cube},
		{name: "tanimoto", k: Tanimoto[Vec](Polynomial{Offset: 1, Degree: 2})},
		{name: "tanimoto of ard", k: Tanimoto[Vec](ARD{Kernel: Linear{}, Lengthscales: []float64{1, 2, 0.7}})},
		{name: "arccosine of ard", k: ArcCosine[Vec](ARD{Kernel: Linear{}, Lengthscales: []float64{1, 2, 0.7}}, 1, 2)},
		{name: "arccosine in a product", k: Product(ArcCosine(Sum[Vec](Linear{}, Constant[Vec](1)), 2, 1),
			Kernel[Vec](Gaussian{Lengthscale: 2}))},
		{name: "normalized arcsine",
			k: Normalize(ArcSine(Sum(Scale[Vec](0.3, Linear{}), Kernel[Vec](Matern{Nu: 2.5, Lengthscale: 2})), 3))},
		{name: "rq", k: RationalQuadratic{Alpha: 0.7, Lengthscale: 1.2}},
		{name: "rq cauchy", k: RationalQuadratic{Lengthscale: 1.2}},
		{name: "periodic", k: Periodic{Period: 2.3, Lengthscale: 1.1}},
		{name: "exponential", k: Exponential{Gamma: 0.4}},
		{name: "taylor", k: Taylor{Coef: []float64{1, 0.5, 0.25, 0.1}, Radius: 1}, sample: ball},
		{name: "binomial", k: Binomial{Alpha: 1.4}, sample: ball},
		{name: "sigmoid", k: Sigmoid{Gamma: 0.3, Offset: -0.2}},
		{name: "sinc", k: Sinc{Bandwidth: 1.4}},
		{name: "radial sobolev", k: RadialSobolev{}, sample: cube},
		{name: "sobolev 1", k: Sobolev{Order: 1}, sample: cube},
		{name: "sobolev 2", k: Sobolev{Order: 2}, sample: cube},
		{name: "theta", k: Theta{Sigma: 0.8}, sample: angle},
		{name: "theta narrow", k: Theta{Sigma: 0.2}, sample: angle},
		{name: "fourier", k: Fourier{Coef: []float64{0.3, 0.2, 0.05, 0.01}}, sample: angle},
		{name: "polynomial basis", k: Monomials{Degree: 3}},
		{name: "gaussian basis", k: GaussianBasis{Centers: []float64{-1, 0, 1}, Width: 0.6}},
		{name: "sigmoid basis", k: SigmoidBasis{Centers: []float64{-1, 0, 1}, Width: 0.6}},
		{name: "sinusoids", k: Sinusoids{Degree: 3, Period: 4}},
		{name: "features", k: Features(func(x Vec) Vec { return Vec{x[0], x[1], x[0] * x[1]} })},
		{name: "cosine", k: Cosine{}},
		{name: "chi2", k: ChiSquare{Gamma: 0.7}, sample: cube},
		{name: "additive chi2", k: AdditiveChiSquare{}, sample: cube},
		{name: "intersection", k: Intersection{}, sample: cube},
		{name: "overlap", k: Overlap{}, sample: codes},
		{name: "overlap weighted", k: Overlap{Weights: []float64{1, 0, 3}}, sample: codes},
		{name: "categorical", k: Categorical{Decay: 0.6}, sample: codes},
		{name: "categorical weighted", k: Categorical{Decay: 0.6, Weights: []float64{2, 1, 0.5}}, sample: codes},
		{name: "numbers and categories", k: Product(On(Gaussian{}, 0), On(Categorical{}, 1, 2)), sample: codes},
		{name: "stationary", k: Stationary{func(d Vec) float64 { return math.Cos(d[0]) + math.Exp(-d[1]*d[1]) }}},
		{name: "radial", k: Radial{Kappa: func(m float64) float64 { return 1 / (1 + m) }}},
		{name: "dot product", k: DotProduct{Kappa: math.Cosh, Slope: math.Sinh}},
		{name: "constant", k: Constant[Vec](0.7)},
		{name: "user kernel", k: userKernel{0.6}},

		{name: "sum", k: Sum(Scale(0.5, Kernel[Vec](Gaussian{2})), Product(Kernel[Vec](Linear{}), Periodic{1.7, 1.2}))},
		{name: "sum of one metric", k: Sum(Kernel[Vec](Gaussian{2}), Matern{Nu: 2.5}, RationalQuadratic{2, 1})},
		{name: "cone", k: Cone([]float64{0.2, 3}, Kernel[Vec](Gaussian{}), Linear{})},
		{name: "product", k: Product(Kernel[Vec](Gaussian{}), Linear{}, Polynomial{Offset: 1})},
		{name: "power", k: Power[Vec](Sum(Kernel[Vec](Linear{}), Constant[Vec](0.5)), 3)},
		{name: "polynomial", k: Powers[Vec](Gaussian{1.5}, 0.1, 0.2, 0, 0.4)},
		{name: "series", k: series()},
		{name: "exp", k: Exp(Scale(0.3, Kernel[Vec](Gaussian{})))},
		{name: "multiply", k: Multiply(func(x Vec) float64 { return 1 + x[0]*x[0] }, Kernel[Vec](Gaussian{}))},
		{name: "rank one", k: RankOne(func(x Vec) float64 { return x[0] - x[1] })},
		{name: "normalize", k: Normalize[Vec](Polynomial{Offset: 1, Degree: 2})},
		{name: "substitute", k: Substitute[Vec](Gaussian{1.5}, Polynomial{Gamma: 0.3, Offset: 1, Degree: 2})},
		{name: "substitute matern", k: Substitute[Vec](Matern{Nu: 2.5}, Linear{}), tol: 1e-8},
		{name: "on columns", k: Sum(On(Gaussian{}, 0, 2), On(Linear{}, 1))},
		{name: "pullback", k: Pullback(Kernel[Vec](Gaussian{}), func(x Vec) Vec { return Vec{math.Sin(x[0]), x[1] * x[2]} })},
		{name: "two gaussians", k: Sum(Kernel[Vec](Gaussian{1}), Gaussian{3})},
		{name: "sum with user", k: Sum(Scale[Vec](2, userKernel{0.3}), Kernel[Vec](Linear{}))},
		{name: "deep", k: Normalize(Sum(Exp(Scale(0.002, Kernel[Vec](Linear{}))),
			ARD{Kernel: RationalQuadratic{Alpha: 2}, Lengthscales: []float64{1, 3, 2}}))},
	}...)
}

func TestEveryKernelConforms(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			o := kerneltest.Options[Vec]{Points: s.sample.points(), Tolerance: s.tol, Kinks: s.kinks}
			if s.sample == plane {
				o.Adversarial = kerneltest.Adversarial(3)
			}
			kerneltest.Run(t, s.k, o)
		})
	}
}
