package kernel_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Values by the tools themselves, at x = (1, 2, 3), y = (1.5, 1, 2.8): scikit-learn 1.9 (pairwise,
// gaussian_process.kernels) and R's kernlab; ‖x-y‖² = 1.29, ⟨x, y⟩ = 11.9, ‖x-y‖₁ = 1.7.
func TestConventions(t *testing.T) {
	x, y := Vec{1, 2, 3}, Vec{1.5, 1, 2.8}
	must := func(k Kernel[Vec], err error) Kernel[Vec] {
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	arg := func(kv ...any) map[string]float64 {
		m := map[string]float64{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1].(float64)
		}
		return m
	}
	for name, c := range map[string]struct {
		k    Kernel[Vec]
		want float64
	}{
		"LIBSVM rbf":        {must(LIBSVM(2, 0.3, 0, 0)), math.Exp(-0.3 * 1.29)},
		"LIBSVM poly":       {must(LIBSVM(1, 0.5, 1, 3)), math.Pow(0.5*11.9+1, 3)},
		"LIBSVM sigmoid":    {must(LIBSVM(3, 0.01, 0.1, 0)), math.Tanh(0.01*11.9 + 0.1)},
		"sklearn rbf":       {must(Sklearn("rbf", arg("gamma", 0.3))), 0.6790910949266362},
		"sklearn laplacian": {must(Sklearn("laplacian", arg("gamma", 0.3))), math.Exp(-0.3 * 1.7)},
		"sklearn RBF":       {must(Sklearn("RBF", arg("length_scale", 2.0))), math.Exp(-1.29 / 8)},
		"sklearn Matern":    {must(Sklearn("Matern", arg("nu", 2.5, "length_scale", 2.0))), 0.7885147234167765},
		"sklearn RQ": {must(Sklearn("RationalQuadratic", arg("alpha", 0.5, "length_scale", 2.0))),
			math.Pow(1+1.29/4, -0.5)},
		"sklearn DotProduct": {must(Sklearn("DotProduct", arg("sigma_0", 2.0))), 15.9},
		"kernlab rbfdot":     {must(Kernlab("rbfdot", arg("sigma", 0.3))), math.Exp(-0.3 * 1.29)},
		"kernlab laplacedot": {must(Kernlab("laplacedot", arg("sigma", 0.3))), math.Exp(-0.3 * math.Sqrt(1.29))},
		"kernlab polydot": {must(Kernlab("polydot", arg("degree", 2.0, "scale", 0.1, "offset", 1.0))),
			math.Pow(0.1*11.9+1, 2)},
		"GPyTorch RBF": {must(GPyTorch("RBFKernel", arg("lengthscale", 2.0))), math.Exp(-1.29 / 8)},
		"GPyTorch Periodic": {must(GPyTorch("PeriodicKernel", arg("period_length", 2.0, "lengthscale", 3.0))),
			math.Exp(-2 * (0.5 + 1 + math.Pow(math.Sin(math.Pi*0.1), 2)) / 3)},
		"variance":               {Variance.Gaussian(4), math.Exp(-1.29 / 8)},
		"standard deviation":     {StandardDeviation.Gaussian(2), math.Exp(-1.29 / 8)},
		"exp(-r²/γ²)":            {InverseWidthSquared.Gaussian(2), math.Exp(-1.29 / 4)},
		"additive χ², our own":   {AdditiveChiSquare{}, 2 * (1.5/2.5 + 2.0/3 + 8.4/5.8)},
		"sklearn chi2":           {must(Sklearn("chi2", arg("gamma", 0.5))), math.Exp(-0.5 * (0.25/2.5 + 1.0/3 + 0.04/5.8))},
		"sklearn ExpSineSquared": {must(Sklearn("ExpSineSquared", nil)), Periodic{}.Eval(x, y)},
	} {
		if got := c.k.Eval(x, y); math.Abs(got-c.want) > 1e-13*math.Abs(c.want) {
			t.Errorf("%s: %.17g, want %.17g", name, got, c.want)
		}
	}
	for c := LIBSVMGamma; c <= InverseWidthSquared; c++ {
		if got := c.Lengthscale(c.FromLengthscale(1.7)); math.Abs(got-1.7) > 1e-15 {
			t.Errorf("convention %d: 1.7 comes back as %g", c, got)
		}
	}
	for _, bad := range []func() (Kernel[Vec], error){
		func() (Kernel[Vec], error) { return LIBSVM(7, 1, 0, 0) },
		func() (Kernel[Vec], error) { return LIBSVM(2, -1, 0, 0) },
		func() (Kernel[Vec], error) { return Kernlab("rbfdot", arg("gamma", 1.0)) },
		func() (Kernel[Vec], error) { return Kernlab("splinedot", nil) },
		func() (Kernel[Vec], error) { return Sklearn("rbf", nil) },
		func() (Kernel[Vec], error) { return Sklearn("additive_chi2", nil) },
		func() (Kernel[Vec], error) { return Sklearn("Matern", arg("nu", -1.0)) },
		func() (Kernel[Vec], error) { return GPyTorch("CosineKernel", nil) },
	} {
		if _, err := bad(); err == nil {
			t.Error("a bad call is accepted")
		}
	}
}

func TestWidths(t *testing.T) {
	x := data.Slice[Vec]{{0, 0}, {3, 4}, {6, 8}}
	q, err := WidthQuantiles(x, 0, 0.5, 1)
	if err != nil || q[0] != 5 || q[1] != 5 || q[2] != 10 {
		t.Errorf("quantiles %v, %v", q, err)
	}
	if m, _ := WidthMedian(x); m != 5 {
		t.Errorf("median %g", m)
	}
	// scikit-learn: gamma = 1/(X.shape[1]*X.var()) = 1/(2*8.583333)
	if l, _ := WidthScale(x); math.Abs(1/(2*l*l)-1/(2*103.0/12)) > 1e-14 {
		t.Errorf("scale: gamma %g, want %g", 1/(2*l*l), 6.0/103)
	}
	big := kerneltest.Vectors(1, 2000, 3)
	a, _ := WidthMedian(big)
	b, _ := WidthMedian(big)
	if a != b || math.Abs(a-2.3) > 0.2 { // the median of √(2χ²₃) is 2.18
		t.Errorf("median of many: %g and %g", a, b)
	}
	for _, bad := range []data.Points[Vec]{data.Slice[Vec]{{1}}, data.Slice[Vec]{{1}, {1}},
		data.Slice[Vec]{{1}, {math.NaN()}}} {
		if _, err := WidthMedian(bad); err == nil {
			t.Errorf("%v has a median distance", bad)
		}
		if _, err := WidthScale(bad); err == nil {
			t.Errorf("%v has a scale", bad)
		}
	}
}

// Every bad value is refused with a message that names it.
func TestBadInputIsRefused(t *testing.T) {
	ok := data.Points[Vec](data.Slice[Vec]{{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}})
	for _, c := range []struct {
		k     Kernel[Vec]
		x     data.Points[Vec]
		words string
	}{
		{Gaussian{-1}, ok, "lengthscale = -1"},
		{Sum[Vec](Linear{}, Scale[Vec](2, Laplace{-3})), ok, "lengthscale = -3"},
		{Matern{Nu: 0}, ok, "nu = 0"},
		{Matern{Nu: -1}, ok, "nu = -1"},
		{Matern{Nu: math.NaN()}, ok, "nu = NaN"},
		{Scale[Vec](-0.5, Gaussian{}), ok, "factor = -0.5"},
		{Constant[Vec](-1), ok, "c = -1"},
		{Powers[Vec](Linear{}, 1, -2), ok, "coef[1] = -2"},
		{Polynomial{Offset: -1}, ok, "offset = -1"},
		{Polynomial{Degree: -1}, ok, "degree = -1"},
		{Power[Vec](Linear{}, 0), ok, "exponent = 0"},
		{Taylor{Coef: []float64{1, -1}}, ok, "coef[1] = -1"},
		{Taylor{Coef: []float64{1, 1}, Radius: 0.1}, ok, "row 0"},
		{Binomial{}, data.Slice[Vec]{{0.5}, {1.2}}, "row 1"},
		{Sobolev{}, data.Slice[Vec]{{0.5}, {1.2}}, "row 1, column 0 is 1.2"},
		{Sobolev{Order: 3}, ok, "order = 3"},
		{RadialSobolev{}, data.Slice[Vec]{{0.5}, {0}}, "row 1, column 0 is 0"},
		{Intersection{}, data.Slice[Vec]{{0.5}, {-1}}, "row 1, column 0 is -1"},
		{Theta{}, ok, "row 0 has 3"},
		{Fourier{[]float64{1, -1}}, data.Slice[Vec]{{1}}, "coef[1] = -1"},
		{ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2}}, ok, "2 length-scales but row 0 has 3"},
		{ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, -2, 1}}, ok, "lengthscale[1] = -2"},
		{On(Linear{}, 5), ok, "column 5"},
		{On(Linear{}), ok, "no columns"},
		{Linear{}, data.Slice[Vec]{{1, 2}, {math.NaN(), 2}}, "row 1, column 0 is NaN"},
		{Linear{}, data.Slice[Vec]{{1, 2}, {2, math.Inf(1)}}, "row 1, column 1 is +Inf"},
		{Linear{}, data.Slice[Vec]{{1, 2}, {2}}, "row 1 has 1 coordinates"},
		{QuadraticForm{mat.NewSymDense(2, []float64{1, 2, 2, 1})}, ok, "negative eigenvalue"},
		{Mahalanobis{Kernel: Gaussian{}, Sigma: mat.NewSymDense(2, []float64{1, 2, 2, 1})}, ok, "not positive definite"},
		{Substitute[Vec](LaplaceL1{}, Linear{}), ok, "squared distance"},
		{Sum[Vec](), ok, "sum of nothing"},
		{nil, ok, "nil"},
		{Scale[Vec](1, nil), ok, "nil"},
	} {
		err := Check(c.k, c.x)
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%#v: error %v, want one with %q", c.k, err, c.words)
		}
	}
	if _, err := With(Kernel[Vec](Gaussian{}), []float64{-1}); err == nil ||
		!strings.Contains(err.Error(), "gaussian.lengthscale = -1") {
		t.Errorf("With(-1): %v", err)
	}
	if _, err := Series[Vec](Linear{}, func(int) float64 { return 1 }, 1, 1.5, 1e-9); err == nil ||
		!strings.Contains(err.Error(), "bound = 1.5") {
		t.Errorf("series beyond its radius: %v", err)
	}
	if err := CheckPair[Vec](Linear{}, data.Slice[Vec]{{1, 2}}, data.Slice[Vec]{{1, 2}, {1}}); err == nil ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("dimension mismatch between sets: %v", err)
	}
}

func TestDegenerateShapes(t *testing.T) {
	ks := []Kernel[Vec]{Gaussian{}, Sum[Vec](Gaussian{}, Linear{}), Normalize[Vec](Polynomial{Offset: 1})}
	for _, k := range ks {
		empty := data.Slice[Vec]{}
		one := data.Slice[Vec]{{1, 2}}
		none := data.Slice[Vec]{{}, {}} // d = 0
		if r, c := Prepare[Vec](context.Background(), k, empty, one).Dims(); r != 0 || c != 1 {
			t.Errorf("%d×%d", r, c)
		}
		m := mat.NewDense(2, 2, nil)
		Block[Vec](context.Background(), k, m, none, none)
		if v := m.At(0, 1); v != k.Eval(Vec{}, Vec{}) {
			t.Errorf("%#v with d = 0: %g", k, v)
		}
		huge := data.Slice[Vec]{{1e308, 1}, {-1e308, 1}}
		Block[Vec](context.Background(), Gaussian{}, m, huge, huge)
		if m.At(0, 0) != 1 || m.At(0, 1) != 0 {
			t.Errorf("Gaussian of huge points: %v", mat.Formatted(m))
		}
	}
}
