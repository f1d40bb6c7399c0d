package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// K = ΦΦᵀ for every explicit feature map of the notes.
func TestKernelsAreInnerProductsOfTheirFeatures(t *testing.T) {
	r2 := math.Sqrt2
	cases := []struct {
		name   string
		k      Kernel[Vec]
		phi    func(x Vec) Vec
		sample data.Points[Vec]
		tol    float64
	}{
		{"identity", Linear{}, func(x Vec) Vec { return x }, kerneltest.Vectors(1, 15, 2), 0},
		{"(x/√2, x/√2)", Linear{}, func(x Vec) Vec { return Vec{x[0] / r2, x[0] / r2} }, kerneltest.Vectors(1, 15, 1), 0},
		{"(x₁x₂ XOR)", Features(func(x Vec) Vec { return Vec{x[0], x[1], x[0] * x[1]} }),
			func(x Vec) Vec { return Vec{x[0], x[1], x[0] * x[1]} }, kerneltest.Vectors(1, 15, 2), 0},
		{"⟨x, y⟩²", Polynomial{Degree: 2}, func(x Vec) Vec { return Vec{x[0] * x[0], r2 * x[0] * x[1], x[1] * x[1]} },
			kerneltest.Vectors(1, 15, 2), 0},
		{"(⟨x, y⟩+c)²", Polynomial{Degree: 2, Offset: 3}, func(x Vec) Vec {
			return Vec{3, math.Sqrt(6) * x[0], math.Sqrt(6) * x[1], x[0] * x[0], r2 * x[0] * x[1], x[1] * x[1]}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"Fourier", Fourier{[]float64{0.5, 0.25, 0.1}}, func(x Vec) Vec {
			dst := make(Vec, 5)
			Fourier{[]float64{0.5, 0.25, 0.1}}.Features(dst, x)
			return dst
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"polynomials", Monomials{Degree: 2}, func(x Vec) Vec { return Vec{1, x[0], x[0] * x[0]} },
			kerneltest.Vectors(1, 15, 1), 0},
		{"bumps", GaussianBasis{Centers: []float64{-1, 0.5}, Width: 0.7}, func(x Vec) Vec {
			return Vec{math.Exp(-(x[0] + 1) * (x[0] + 1) / 0.98), math.Exp(-(x[0] - 0.5) * (x[0] - 0.5) / 0.98)}
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"steps", SigmoidBasis{Centers: []float64{-1, 0.5}, Width: 0.7}, func(x Vec) Vec {
			return Vec{1 / (1 + math.Exp(-(x[0]+1)/0.7)), 1 / (1 + math.Exp(-(x[0]-0.5)/0.7))}
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"sines and cosines (002)", Sinusoids{Degree: 3}, func(x Vec) Vec {
			return Vec{math.Sin(x[0]), math.Cos(x[0]), math.Sin(2 * x[0]), math.Cos(2 * x[0]), math.Sin(3 * x[0]),
				math.Cos(3 * x[0])}
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"Taylor features of e^{xy}", Exponential{}, func(x Vec) Vec {
			phi := make(Vec, 60)
			p := 1.0
			for n := range phi {
				phi[n] = p
				p *= x[0] / math.Sqrt(float64(n+1))
			}
			return phi
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"Gaussian = f·e^{xy/ℓ²}·f", Gaussian{}, func(x Vec) Vec {
			phi := make(Vec, 60)
			p := math.Exp(-x[0] * x[0] / 2)
			for n := range phi {
				phi[n] = p
				p *= x[0] / math.Sqrt(float64(n+1))
			}
			return phi
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"cosine", Cosine{}, func(x Vec) Vec {
			n := math.Hypot(x[0], x[1])
			return Vec{x[0] / n, x[1] / n}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"xᵀAy, A = RᵀR", QuadraticForm{mat.NewSymDense(2, []float64{5, 2, 2, 1})},
			func(x Vec) Vec { return Vec{2*x[0] + x[1], x[0]} }, kerneltest.Vectors(1, 15, 2), 0},
		{"min(x, y) = ∫1[s≤x]1[s≤y]", Intersection{}, func(x Vec) Vec {
			phi := make(Vec, 1000) // steps of 1/1000, points on the grid
			for i := range int(math.Round(x[0] * 1000)) {
				phi[i] = math.Sqrt(0.001)
			}
			return phi
		}, data.Slice[Vec]{{0.1}, {0.25}, {0.5}, {0.9}, {0.333}}, 0},
		{"(1+⟨x, y⟩)² (001)", Polynomial{Degree: 2, Offset: 1}, func(x Vec) Vec {
			return Vec{1, r2 * x[0], r2 * x[1], x[0] * x[0], x[1] * x[1], r2 * x[0] * x[1]}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"⟨x, y⟩³, multinomial coefficients (004)", Polynomial{Degree: 3}, func(x Vec) Vec {
			r3 := math.Sqrt(3)
			return Vec{x[0] * x[0] * x[0], r3 * x[0] * x[0] * x[1], r3 * x[0] * x[1] * x[1], x[1] * x[1] * x[1]}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"(x₁², x₁, 1, x₂², x₂) (004)", Monomials{Degree: 2}, func(x Vec) Vec {
			return Vec{x[0] * x[0], x[0], 1, x[1] * x[1], x[1]}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"[x, x²] (002)", Features(func(x Vec) Vec { return Vec{x[0], x[0] * x[0]} }),
			func(x Vec) Vec { return Vec{x[0], x[0] * x[0]} },
			kerneltest.Vectors(1, 15, 1), 0},
		{"[k(x, μ₁), …, k(x, μ_K)] (001)", Features(func(x Vec) Vec { return kernelMachine(x) }), kernelMachine,
			kerneltest.Vectors(1, 15, 2), 0},
		{"cone: (√α₁φ₁, √α₂φ₂) (004)", Cone([]float64{0.3, 2}, Kernel[Vec](Linear{}), Polynomial{Degree: 2}),
			func(x Vec) Vec {
				a, b := math.Sqrt(0.3), math.Sqrt(2)
				return Vec{a * x[0], a * x[1], b * x[0] * x[0], b * r2 * x[0] * x[1], b * x[1] * x[1]}
			}, kerneltest.Vectors(1, 15, 2), 0},
		{"f(x)φ(x) (004)", Multiply(func(x Vec) float64 { return 1 + x[0]*x[0] }, Kernel[Vec](Linear{})), func(x Vec) Vec {
			f := 1 + x[0]*x[0]
			return Vec{f * x[0], f * x[1]}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"φ(x)/‖φ(x)‖ (000)", Normalize[Vec](Polynomial{Degree: 2}), func(x Vec) Vec {
			n := x[0]*x[0] + x[1]*x[1]
			return Vec{x[0] * x[0] / n, r2 * x[0] * x[1] / n, x[1] * x[1] / n}
		}, kerneltest.Vectors(1, 15, 2), 0},
		{"1/(1-xy)^α: √C(α+n-1, n) xⁿ (004)", Binomial{Alpha: 1.5}, func(x Vec) Vec {
			phi := make(Vec, 900) // |xy| ≤ 0.95²: what is left is below 1e-40
			c, p := 1.0, 1.0
			for n := range phi {
				phi[n] = math.Sqrt(c) * p
				c *= (1.5 + float64(n)) / float64(n+1) // a product, not a quotient of factorials
				p *= x[0]
			}
			return phi
		}, kerneltest.Ball(1, 15, 1), 0},
		{"theta: √(k̂_l)(cos lx, sin lx) (002)", Theta{0.6}, func(x Vec) Vec {
			phi := Vec{math.Sqrt(1 / (2 * math.Pi))}
			for l := 1.0; l < 30; l++ {
				a := math.Sqrt(2 * math.Exp(-0.18*l*l) / (2 * math.Pi))
				phi = append(phi, a*math.Cos(l*x[0]), a*math.Sin(l*x[0]))
			}
			return phi
		}, kerneltest.Vectors(1, 15, 1), 0},
		{"⟨·,·⟩ in feature space, product rule", Product[Vec](Linear{}, Polynomial{Degree: 2}), func(x Vec) Vec {
			q := Vec{x[0] * x[0], r2 * x[0] * x[1], x[1] * x[1]}
			var phi Vec
			for _, a := range x {
				for _, b := range q {
					phi = append(phi, a*b)
				}
			}
			return phi
		}, kerneltest.Vectors(1, 15, 2), 0},
	}
	for _, c := range cases {
		n := c.sample.Len()
		var phi *mat.Dense
		for i := range n {
			row := c.phi(c.sample.At(i))
			if phi == nil {
				phi = mat.NewDense(n, len(row), nil)
			}
			phi.SetRow(i, row)
		}
		var want mat.Dense
		want.Mul(phi, phi.T())
		got := mat.NewDense(n, n, nil)
		Block(context.Background(), c.k, got, c.sample, c.sample)
		for i := range n {
			for j := range n {
				if d := math.Abs(got.At(i, j) - want.At(i, j)); d > 1e-11*(1+math.Abs(want.At(i, j))) {
					t.Fatalf("%s: K[%d, %d] = %g, ΦΦᵀ has %g", c.name, i, j, got.At(i, j), want.At(i, j))
				}
			}
		}
	}
}

// kernelMachine is the features of a kernel machine with three centres.
func kernelMachine(x Vec) Vec {
	var phi Vec
	for _, mu := range []Vec{{0, 0}, {1, -1}, {0.5, 2}} {
		phi = append(phi, Gaussian{1.2}.Eval(x, mu))
	}
	return phi
}

// The discrete space of three points of 003: φ(x₁) = (1, 0), φ(x₂) = (0, 1), φ(x₃) = (1, 1).
func TestKernelOnThreePoints(t *testing.T) {
	k := Features(func(i int) Vec { return []Vec{{1, 0}, {0, 1}, {1, 1}}[i] })
	got := mat.NewDense(3, 3, nil)
	Block(context.Background(), k, got, data.Points[int](data.Indices(3)), data.Points[int](data.Indices(3)))
	if want := mat.NewDense(3, 3, []float64{1, 0, 1, 0, 1, 1, 1, 1, 2}); !mat.Equal(got, want) {
		t.Errorf("K = %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	o := kerneltest.Options[int]{Points: data.Indices(3)}
	if err := kerneltest.Errors(k, o)["positive semi-definite"]; err != nil {
		t.Error(err)
	}
}

// difference is k₁ - k₂, which is a kernel only sometimes.
type differenceOf struct{ a, b Kernel[Vec] }

func (d differenceOf) Eval(x, y Vec) float64 { return d.a.Eval(x, y) - d.b.Eval(x, y) }

func TestDifferencesOfKernelsAreCaught(t *testing.T) {
	o := kerneltest.Options[Vec]{Points: kerneltest.Vectors(1, 20, 3), Adversarial: kerneltest.Adversarial(3)}
	for name, k := range map[string]Kernel[Vec]{
		"narrow - wide":           differenceOf{Gaussian{0.5}, Gaussian{2}},
		"wide - narrow":           differenceOf{Gaussian{2}, Gaussian{0.5}},
		"linear - gaussian":       differenceOf{Linear{}, Gaussian{}},
		"scale by -1":             Scale[Vec](-1, Gaussian{}),
		"polynomial with -0.5":    Powers[Vec](Linear{}, 0, 1, -0.5),
		"negative constant added": Sum[Vec](Gaussian{}, Constant[Vec](-0.5)),
	} {
		// Eval alone, without the validation that refuses negative weights.
		if kerneltest.Errors[Vec](evalOnly{k}, o)["positive semi-definite"] == nil {
			t.Errorf("%s passes for a kernel", name)
		}
	}
	// A difference that is a kernel is not refused.
	if err := kerneltest.Errors[Vec](differenceOf{Sum[Vec](Linear{}, Gaussian{}), Linear{}},
		o)["positive semi-definite"]; err != nil {
		t.Errorf("(k+l)-l = k is refused: %v", err)
	}
}

type evalOnly struct{ k Kernel[Vec] }

func (e evalOnly) Eval(x, y Vec) float64 { return e.k.Eval(x, y) }

func TestSigmoidIsMarkedAndIsNot(t *testing.T) {
	k := Sigmoid{Gamma: 1, Offset: -1}
	if PropertiesOf[Vec](k).PSD != No {
		t.Error("sigmoid is not marked")
	}
	o := kerneltest.Options[Vec]{Points: kerneltest.Vectors(1, 20, 3)}
	if kerneltest.Errors[Vec](evalOnly{k}, o)["positive semi-definite"] == nil {
		t.Error("tanh(⟨x, y⟩ - 1) passes for positive definite")
	}
}

// The rules: the algebra's values are what the rules say.
func TestAlgebraMeansWhatItSays(t *testing.T) {
	a, b := Kernel[Vec](Gaussian{1.5}), Kernel[Vec](Polynomial{Offset: 1, Degree: 2})
	pts := kerneltest.Vectors(3, 6, 2)
	f := func(x Vec) float64 { return x[0] + 2 }
	for i := range pts.Len() {
		for j := range pts.Len() {
			x, y := pts.At(i), pts.At(j)
			va, vb := a.Eval(x, y), b.Eval(x, y)
			for name, c := range map[string][2]float64{
				"sum":        {Sum(a, b).Eval(x, y), va + vb},
				"cone":       {Cone([]float64{2, 3}, a, b).Eval(x, y), 2*va + 3*vb},
				"product":    {Product(a, b).Eval(x, y), va * vb},
				"power":      {Power(b, 3).Eval(x, y), vb * vb * vb},
				"polynomial": {Powers(a, 1, 2, 3).Eval(x, y), 1 + 2*va + 3*va*va},
				"exp":        {Exp(a).Eval(x, y), math.Exp(va)},
				"multiply":   {Multiply(f, a).Eval(x, y), f(x) * va * f(y)},
				"rank one":   {RankOne(f).Eval(x, y), f(x) * f(y)},
				"normalize":  {Normalize(b).Eval(x, y), vb / math.Sqrt(b.Eval(x, x)*b.Eval(y, y))},
				"substitute": {Substitute(Gaussian{2}, b).Eval(x, y), math.Exp(-(b.Eval(x, x) - 2*vb + b.Eval(y, y)) / 8)},
				"tensor":     {Tensor(a, b).Eval(Pair[Vec, Vec]{x, y}, Pair[Vec, Vec]{y, x}), a.Eval(x, y) * b.Eval(y, x)},
				"direct sum": {DirectSum(a, b).Eval(Pair[Vec, Vec]{x, y}, Pair[Vec, Vec]{y, x}), a.Eval(x, y) + b.Eval(y, x)},
				"on":         {On(Linear{}, 1).Eval(x, y), x[1] * y[1]},
			} {
				if math.Abs(c[0]-c[1]) > 1e-13*(1+math.Abs(c[1])) {
					t.Errorf("%s: %g, want %g", name, c[0], c[1])
				}
			}
		}
	}
}

// Substituting the linear kernel gives the kernel itself, and the normalised
// exponential kernel is the Gaussian (004 Q1).
func TestIdentities(t *testing.T) {
	pts := kerneltest.Vectors(5, 12, 3)
	same := func(name string, a, b Kernel[Vec], tol float64) {
		for i := range pts.Len() {
			for j := range pts.Len() {
				u, v := a.Eval(pts.At(i), pts.At(j)), b.Eval(pts.At(i), pts.At(j))
				if math.Abs(u-v) > tol {
					t.Errorf("%s: %g and %g", name, u, v)
				}
			}
		}
	}
	same("gaussian of the linear distance", Substitute[Vec](Gaussian{1.3}, Linear{}), Gaussian{1.3}, 1e-13)
	same("normalised exponential", Normalize[Vec](Exponential{0.5}), Gaussian{math.Sqrt2}, 1e-13)
	same("matern 1/2", Matern{Nu: 0.5, Lengthscale: 2}, Laplace{2}, 1e-14)
	same("ARD with equal scales", ARD{Kernel: Gaussian{}, Lengthscales: []float64{2, 2, 2}}, Gaussian{2}, 1e-14)
	same("rq for large α", RationalQuadratic{Alpha: 1e9, Lengthscale: 1.5}, Gaussian{1.5}, 1e-8)
	same("exp by its rule", Exp(Scale[Vec](0.4, Linear{})), Exponential{0.4}, 1e-12)
	m, err := NewMahalanobis(Gaussian{}, mat.NewSymDense(3, []float64{4, 0, 0, 0, 1, 0, 0, 0, 0.25}))
	if err != nil {
		t.Fatal(err)
	}
	same("diagonal Σ", m, ARD{Kernel: Gaussian{}, Lengthscales: []float64{2, 1, 0.5}}, 1e-14)
	ser, err := Series[Vec](Scale[Vec](0.01, Linear{}), func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return math.Exp(-v)
	}, math.Inf(1), 2, 1e-13)
	if err != nil {
		t.Fatal(err)
	}
	if e := ser.(PowersOf[Vec]).Error; !(e > 0 && e <= 1e-13) {
		t.Errorf("stated error of the series: %g", e)
	}
	same("series of exp", ser, Exponential{0.01}, 2e-13)
}

// The reproducing property of the Sobolev and of the radial Sobolev kernel, by
// quadrature: ⟨f, k(·, y)⟩ = f(y).
func TestReproducingPropertyByQuadrature(t *testing.T) {
	integrate := func(f func(float64) float64, a, b float64, n int) float64 { // midpoint rule
		h, s := (b-a)/float64(n), 0.0
		for i := range n {
			s += f(a + (float64(i)+0.5)*h)
		}
		return s * h
	}
	slope := func(k InputDifferentiable, x, y float64) float64 {
		d := make(Vec, 1)
		k.InputGrad(d, Vec{x}, Vec{y})
		return d[0]
	}
	f := func(x float64) float64 { return math.Sin(2*x) + x*x }
	df := func(x float64) float64 { return 2*math.Cos(2*x) + 2*x }
	ddf := func(x float64) float64 { return -4*math.Sin(2*x) + 2 }
	for _, y := range []float64{0.2, 0.5, 0.83} {
		// m = 1: f(0)g(0) + ∫f'g'
		k1 := Sobolev{Order: 1}
		got := f(0)*k1.Eval(Vec{0}, Vec{y}) + integrate(func(s float64) float64 { return df(s) * slope(k1, s, y) }, 0, 1,
			20000)
		if math.Abs(got-f(y)) > 1e-3 {
			t.Errorf("m = 1: ⟨f, k(·, %g)⟩ = %g, f = %g", y, got, f(y))
		}
		// m = 2: f(0)g(0) + f'(0)g'(0) + ∫f''g''; the second derivative of k by x is y-x below y, 0
		// above.
		k2 := Sobolev{Order: 2}
		got = f(0)*k2.Eval(Vec{0}, Vec{y}) + df(0)*slope(k2, 0, y) +
			integrate(func(s float64) float64 { return ddf(s) * math.Max(y-s, 0) }, 0, 1, 20000)
		if math.Abs(got-f(y)) > 1e-6 {
			t.Errorf("m = 2: ⟨f, k(·, %g)⟩ = %g, f = %g", y, got, f(y))
		}
		// Example 4.6 on the half line: ∫(fg + f'g')x² with f = e^{-x²}.
		g := func(x float64) float64 { return math.Exp(-x * x) }
		dg := func(x float64) float64 { return -2 * x * math.Exp(-x*x) }
		k3 := RadialSobolev{}
		got = integrate(func(s float64) float64 {
			return (g(s)*k3.Eval(Vec{s}, Vec{y}) + dg(s)*slope(k3, s, y)) * s * s
		}, 0, 12, 120000)
		if math.Abs(got-g(y)) > 1e-3 {
			t.Errorf("example 4.6: ⟨f, k(·, %g)⟩ = %g, f = %g", y, got, g(y))
		}
	}
}

// The empirical characteristic function of sampled frequencies is the kernel.
func TestSpectralMeasures(t *testing.T) {
	d := 2
	x := Vec{0.3, -0.2}
	mah, _ := NewMahalanobis(Gaussian{}, mat.NewSymDense(2, []float64{1, 0.3, 0.3, 0.5}))
	for name, k := range map[string]Kernel[Vec]{
		"gaussian": Gaussian{0.7}, "laplace": Laplace{1.1}, "matern 0.8": Matern{Nu: 0.8},
		"matern 2.5": Matern{Nu: 2.5, Lengthscale: 0.8},
		"rq":         RationalQuadratic{Alpha: 0.6, Lengthscale: 0.9}, "laplacel1": LaplaceL1{0.8}, "sinc": Sinc{2},
		"periodic": Periodic{1.3, 0.9},
		"sum":      Sum(Scale[Vec](2, Gaussian{}), Scale[Vec](0.5, Laplace{})),
		"product":  Product[Vec](Gaussian{}, LaplaceL1{2}), "power": Power[Vec](Matern{Nu: 1.5}, 3),
		"polynomial": Powers[Vec](Gaussian{}, 0.5, 1, 0.25), "exp": Exp(Scale[Vec](0.7, Gaussian{0.5})),
		"ard": ARD{Kernel: Gaussian{}, Lengthscales: []float64{0.4, 2}}, "mahalanobis": mah,
		"theta": Sum(On(Theta{0.8}, 0), On(Theta{0.3}, 1)), "fourier": On(Fourier{[]float64{0.5, 0.2, 0.1}}, 1),
		"periodic product": Product[Vec](Periodic{2, 0.7}, Gaussian{2}), "power of sinc": Power[Vec](Sinc{1.5}, 2),
		"on": Sum(On(Gaussian{0.5}, 1), Constant[Vec](0.3)), "normalize": Normalize(Scale[Vec](3, Gaussian{})),
	} {
		s, err := SpectralOf(k, d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := k.Eval(x, x); math.Abs(s.Mass()-want) > 1e-12 {
			t.Errorf("%s: mass %g, k(x, x) = %g", name, s.Mass(), want)
		}
		for _, y := range []Vec{{-0.4, 0.5}, {0, -0.5}, {0.6, 0.2}, {0.31, -0.9}} {
			rng := rand.New(rand.NewPCG(7, 7))
			n := datatest.Size(60000, 15000)
			sum, w := 0.0, make([]float64, d)
			for range n {
				s.SampleFrequency(w, rng)
				sum += math.Cos(w[0]*(x[0]-y[0]) + w[1]*(x[1]-y[1]))
			}
			// The standard error is at most Mass/√n.
			if got, want := s.Mass()*sum/float64(n), k.Eval(x, y); math.Abs(got-want) > 5*s.Mass()/math.Sqrt(float64(n)) {
				t.Errorf("%s: %g by %d frequencies, k = %g", name, got, n, want)
			}
		}
	}
	for _, k := range []Kernel[Vec]{Linear{}, Product[Vec](Gaussian{}, Linear{}), Gaussian{-1}} {
		if _, err := SpectralOf(k, d); err == nil {
			t.Errorf("%#v has a spectral measure", k)
		}
	}
}
