package kernel_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// names says whether an error names all of what it should: the parameter or the row, and the value.
func names(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: accepted", what)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %q does not say %q", what, err, p)
		}
	}
}

// Parameters that make no sense are refused wherever they stand in a kernel.
func TestBadParametersAreNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		what  string
		k     Kernel[Vec]
		parts []string
	}{
		{"negative length-scale", Gaussian{-2}, []string{"gaussian", "lengthscale", "-2"}},
		{"length-scale NaN", Laplace{nan}, []string{"laplace", "lengthscale", "NaN"}},
		{"length-scale Inf", RationalQuadratic{1, inf}, []string{"rq", "lengthscale", "Inf"}},
		{"length-scale of L1", LaplaceL1{-0.5}, []string{"laplacel1", "lengthscale", "-0.5"}},
		{"one of several", ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, -3}},
			[]string{"gaussian", "lengthscale[1]", "-3"}},
		{"no length-scales", ARD{Kernel: Gaussian{}}, []string{"gaussian", "no length-scales"}},
		{"ν = 0", Matern{}, []string{"matern", "nu", "0"}},
		{"ν < 0", Matern{Nu: -1.5}, []string{"matern", "nu", "-1.5"}},
		{"ν NaN", Matern{Nu: nan}, []string{"matern", "nu", "NaN"}},
		{"α < 0", RationalQuadratic{Alpha: -1}, []string{"rq", "alpha", "-1"}},
		{"period < 0", Periodic{Period: -7}, []string{"periodic", "period", "-7"}},
		{"bandwidth < 0", Sinc{-1}, []string{"sinc", "bandwidth", "-1"}},
		{"σ < 0", Theta{-1}, []string{"theta", "sigma", "-1"}},
		{"γ < 0", Polynomial{Gamma: -0.5}, []string{"poly", "gamma", "-0.5"}},
		{"offset < 0", Polynomial{Offset: -1}, []string{"poly", "offset", "-1"}},
		{"degree < 0", Polynomial{Degree: -3}, []string{"poly", "degree", "-3"}},
		{"sigmoid NaN", Sigmoid{Offset: nan}, []string{"sigmoid", "offset", "NaN"}},
		{"decay < 0", Categorical{Decay: -1}, []string{"categorical", "decay", "-1"}},
		{"weight < 0", Overlap{Weights: []float64{1, -2}}, []string{"overlap", "weights[1]", "-2"}},
		{"weights all 0", Categorical{Weights: []float64{0, 0}}, []string{"categorical", "weights"}},
		{"order 3", Sobolev{3}, []string{"sobolev", "order", "3"}},
		{"χ²", ChiSquare{-1}, []string{"chi2", "gamma", "-1"}},
		{"basis", GaussianBasis{Centers: []float64{0, nan}}, []string{"gaussianbasis", "centers[1]", "NaN"}},
		{"binomial", Binomial{-2}, []string{"binomial", "alpha", "-2"}},
		{"Σ not positive definite", Mahalanobis{Kernel: Gaussian{}, Sigma: mat.NewSymDense(2, []float64{1, 2, 2, 1})},
			[]string{"mahalanobis", "not positive definite"}},
		{"A not PSD", QuadraticForm{mat.NewSymDense(2, []float64{1, 2, 2, 1})}, []string{"quadratic", "-1"}},

		{"weight", Scale[Vec](-0.5, Gaussian{}), []string{"scale", "factor", "-0.5"}},
		{"weight of a cone", Cone([]float64{1, -2}, Kernel[Vec](Gaussian{}), Linear{}), []string{"factor", "-2"}},
		{"constant", Sum(Kernel[Vec](Linear{}), Constant[Vec](-1)), []string{"constant", "c", "-1"}},
		{"coefficient", Powers[Vec](Linear{}, 1, -0.25), []string{"polynomial", "coef[1]", "-0.25"}},
		{"Taylor coefficient", Taylor{Coef: []float64{1, 0, -3}}, []string{"taylor", "coef[2]", "-3"}},
		{"Fourier coefficient", Fourier{[]float64{1, -0.1}}, []string{"fourier", "coef[1]", "-0.1"}},
		{"power 0", Power[Vec](Linear{}, 0), []string{"power", "exponent", "0"}},
		{"outer kernel", Substitute[Vec](Linear{}, Linear{}), []string{"substitute", "inner product"}},
		{"column", On(Linear{}, 0, -4), []string{"column 1", "-4"}},

		{"deep inside", Exp(Normalize(Product(Kernel[Vec](Linear{}), Power(Sum(Kernel[Vec](Linear{}), Matern{Nu: -1}), 2)))),
			[]string{"matern", "nu", "-1"}},
		{"nothing at all", nil, []string{"nil"}},
		{"a hole in a sum", Sum[Vec](Linear{}, nil), []string{"nil"}},
		{"an empty sum", Sum[Vec](), []string{"sum of nothing"}},
	} {
		names(t, c.what, Validate(c.k), c.parts...)
		names(t, c.what, Check(c.k, data.Points[Vec](data.Slice[Vec]{{1, 2}})), c.parts...)
	}
	_, err := With[Vec](Matern{Nu: 1.5}, []float64{0, 1})
	names(t, "With(ν = 0)", err, "matern.nu", "0")
	_, err = Set[Vec](Gaussian{}, "gaussian.lengthscale", -3)
	names(t, "Set", err, "gaussian.lengthscale", "-3")
	_, err = OnSparse(Gaussian{-1}, 5)
	names(t, "OnSparse", err, "lengthscale", "-1")
	_, err = SpectralOf(Matern{Nu: -2}, 3)
	names(t, "SpectralOf", err, "nu", "-2")
}

// Points that a kernel cannot take are refused with row, column and value.
func TestBadPointsAreNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	series, err := Series[Vec](Linear{}, func(n int) float64 { return 1 }, 1, 0.9, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMahalanobis(Gaussian{}, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		k     Kernel[Vec]
		x     data.Slice[Vec]
		parts []string
	}{
		{"NaN", Gaussian{}, data.Slice[Vec]{{1, 2}, {3, nan}}, []string{"row 1", "column 1", "NaN"}},
		{"Inf", Linear{}, data.Slice[Vec]{{inf, 2}}, []string{"row 0", "column 0", "-Inf"}},
		{"ragged rows", Gaussian{}, data.Slice[Vec]{{1, 2}, {3}}, []string{"row 1", "1 coordinates", "2"}},
		{"length-scales", ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2, 3}}, data.Slice[Vec]{{1, 2}},
			[]string{"row 0", "3 length-scales", "2 coordinates"}},
		{"Σ", m, data.Slice[Vec]{{1, 2, 3}}, []string{"row 0", "2 rows of Σ", "3 coordinates"}},
		{"A", QuadraticForm{mat.NewSymDense(1, []float64{1})}, data.Slice[Vec]{{1, 2}}, []string{"row 0", "2 coordinates"}},
		{"angle", Theta{}, data.Slice[Vec]{{1, 2}}, []string{"theta", "row 0", "2 coordinates"}},
		{"missing column", On(Linear{}, 5), data.Slice[Vec]{{1, 2}}, []string{"column 5", "row 0", "2 columns"}},
		{"radius of a Taylor series", Taylor{Coef: []float64{1, 1}, Radius: 4}, data.Slice[Vec]{{1, 1}, {2, 1}},
			[]string{"taylor", "row 1", "5", "4"}},
		{"unit ball", Binomial{}, data.Slice[Vec]{{0.5, 0}, {0, 1}}, []string{"binomial", "row 1", "‖x‖² = 1"}},
		{"bound of a series", series, data.Slice[Vec]{{0.5, 0}, {0.99, 0}}, []string{"series", "row 1", "0.9801", "0.9"}},
		{"radius inside a tree", Sum(Kernel[Vec](Linear{}), Scale[Vec](2, Binomial{})), data.Slice[Vec]{{2, 0}},
			[]string{"binomial", "row 0", "4"}},
		{"radius after a map", ARD{Kernel: Binomial{}, Lengthscales: []float64{0.5, 1}}, data.Slice[Vec]{{0.6, 0}},
			[]string{"binomial", "row 0", "1.44"}},
		{"codes", Overlap{}, data.Slice[Vec]{{0, 1.5}}, []string{"overlap", "row 0", "column 1", "1.5", "whole numbers"}},
		{"codes and weights", Categorical{Weights: []float64{1}}, data.Slice[Vec]{{0, 1}},
			[]string{"categorical", "row 0", "2 columns", "1 weights"}},
		{"interval", Sobolev{}, data.Slice[Vec]{{0.5, 1.5}}, []string{"sobolev", "row 0", "column 1", "1.5"}},
		{"half line", RadialSobolev{}, data.Slice[Vec]{{1, 0}}, []string{"radialsobolev", "row 0", "column 1", "0"}},
		{"histogram", Intersection{}, data.Slice[Vec]{{1, 0}, {-0.5, 1}},
			[]string{"intersection", "row 1", "column 0", "-0.5"}},
		{"weight function", Multiply(func(x Vec) float64 { return 1 / x[0] }, Kernel[Vec](Linear{})),
			data.Slice[Vec]{{1}, {0}}, []string{"f(x) = +Inf", "row 1"}},
	} {
		names(t, c.what, Check(c.k, data.Points[Vec](c.x)), c.parts...)
	}
	x := data.Slice[Vec]{{1, 2}}
	names(t, "CheckPair, dimension", CheckPair[Vec](Gaussian{}, x, data.Slice[Vec]{{1, 2}, {1}}), "the second set",
		"row 1", "1 coordinates", "2")
	names(t, "CheckPair, another dimension", CheckPair[Vec](Gaussian{}, x, data.Slice[Vec]{{1}, {2}}),
		"row 0 of the second", "1 coordinates", "2")
	names(t, "CheckPair, NaN", CheckPair[Vec](Gaussian{}, x, data.Slice[Vec]{{1, nan}}), "row 0", "column 1", "NaN")
	names(t, "CheckPair, radius", CheckPair[Vec](Binomial{}, data.Slice[Vec]{{0}}, data.Slice[Vec]{{3}}), "row 0", "9")
	_, err = Series[Vec](Linear{}, func(int) float64 { return 1 }, 1, 2, 1e-9)
	names(t, "Series outside its radius", err, "bound", "2", "1")
	_, err = Series[Vec](Linear{}, func(n int) float64 { return float64(1 - n) }, 1, 0.5, 1e-9)
	names(t, "Series with a negative coefficient", err, "coefficient 2", "-1")
	bad := Precomputed{K: mat.NewDense(2, 2, []float64{1, 0.5, 0.25, 1})}
	names(t, "asymmetric matrix", Validate[int](bad), "(1, 0)", "0.25", "0.5")
}

// Degenerate samples are no trouble: one point, none, no coordinates, equal rows, a constant
// column.
func TestDegenerateSamples(t *testing.T) {
	for name, x := range map[string]data.Slice[Vec]{
		"one point": {{0.3, 0.4}}, "none": {}, "no coordinates": {{}, {}}, "equal rows": {{0.3, 0.4}, {0.3, 0.4}, {0.3, 0.4}},
		"constant column": {{0.3, 0.1}, {0.3, 0.2}},
	} {
		for _, k := range []Kernel[Vec]{Linear{}, Gaussian{}, Matern{Nu: 1.7}, LaplaceL1{}, Periodic{}, Sinc{}, Sobolev{2},
			Cosine{}, ChiSquare{}, AdditiveChiSquare{},
			GaussianBasis{Centers: []float64{0, 1}}, Normalize[Vec](Polynomial{Offset: 1}),
			Substitute[Vec](Laplace{}, Linear{})} {
			if err := Check(k, data.Points[Vec](x)); err != nil {
				t.Errorf("%s, %T: %v", name, k, err)
				continue
			}
			n := x.Len()
			if n == 0 {
				if r, c := Prepare(context.Background(), k, data.Points[Vec](x), data.Points[Vec](x)).Dims(); r != 0 || c != 0 {
					t.Errorf("%T: %d×%d of no points", k, r, c)
				}
				continue
			}
			got := mat.NewDense(n, n, nil)
			Block(context.Background(), k, got, data.Points[Vec](x), data.Points[Vec](x))
			for i := range n {
				for j := range n {
					if want := k.Eval(x[i], x[j]); !(math.Abs(got.At(i, j)-want) <= 1e-7) {
						t.Errorf("%s, %T: entry (%d, %d) is %g, want %g", name, k, i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
	// Coordinates as large as floats go: bounded kernels stay bounded.
	huge := data.Slice[Vec]{{1e308, 1}, {-1e308, 2}}
	for _, k := range []Kernel[Vec]{Gaussian{}, Matern{Nu: 2.5}, Matern{Nu: 5.5}, Matern{Nu: 1.7}, Matern{Nu: 60},
		Laplace{}, RationalQuadratic{}, Cosine{}} {
		got := mat.NewDense(2, 2, nil)
		Block(context.Background(), k, got, data.Points[Vec](huge), data.Points[Vec](huge))
		for i, v := range append(got.RawMatrix().Data, k.Eval(huge[0], huge[1])) {
			if !(math.Abs(v) <= 1+1e-9) {
				t.Errorf("%v: value %d at 1e308 is %g", k, i, v)
			}
		}
	}
}
