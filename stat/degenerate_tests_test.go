package stat

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

func constant(n int, v float64) data.DenseRows {
	m := linalg.New[float64](n, 1)
	for i := range m.Data {
		m.Data[i] = v
	}
	return data.RowsOf(m)
}

// Samples that are all one point are equal (p = 1), or as different as can be.
func TestConstantSamples(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1}
	for _, e := range []MMDEstimate{Unbiased, Biased, Linear, Block} {
		for _, null := range []Null{NullPermutation, NullGamma, NullSpectral, NullNormal} {
			test := MMD[vec]{Kernel: k, Estimate: e, TestSettings: TestSettings{Null: null}}
			r, err := test.Test(background, constant(12, 3), constant(16, 3))
			if err != nil {
				if !strings.Contains(err.Error(), "null") {
					t.Error(err)
				}
				continue
			}
			if r.P != 1 || r.Reject {
				t.Errorf("%v: equal constants have p = %g", r, r.P)
			}
		}
	}
	r := must(MMD[vec]{Kernel: k}.Test(background, constant(12, 0), constant(16, 3)))(t)
	if !r.Reject {
		t.Errorf("different constants: %v", r)
	}
	one := constant(20, 1)
	for _, null := range []Null{NullPermutation, NullGamma, NullSpectral} {
		h := must(HSIC[vec, vec]{KernelX: k, KernelY: k, TestSettings: TestSettings{Null: null}}.Test(background, one,
			normal(generator(1), 20, 1, 0, 1)))(t)
		if h.P != 1 {
			t.Errorf("%v of a constant: p = %g", null, h.P)
		}
	}
	v := NewVariable[vec](k, one)
	w := NewVariable[vec](k, normal(generator(1), 20, 1, 0, 1))
	if r := must(DHSIC{}.Test(background, v, w, w))(t); r.P == 1 {
		t.Errorf("dHSIC of a variable with itself beside a constant: %v", r)
	}
	if r := must(DHSIC{}.Test(background, v, w))(t); r.P != 1 {
		t.Errorf("dHSIC with a constant: %v", r)
	}
	for _, m := range []DependenceMeasure{COCO, Correlation, GeneralisedVariance} {
		r := must(Dependence{Measure: m}.Test(background, v, w))(t)
		if r.Reject {
			t.Errorf("%v with a constant: %v", m, r)
		}
	}
}

// Ties count: with all points in two places the p-value is that of the exact
// hypergeometric distribution.
func TestDuplicates(t *testing.T) {
	x, y := constant(6, 0), constant(6, 1)
	for i := range 2 { // x has 2 ones, y has 4
		x.At(i)[0] = 1
		y.At(i)[0] = 0
	}
	r := must(MMD[vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Estimate: Biased,
		TestSettings: TestSettings{Permutations: 20000}}.Test(background, x, y))(t)
	// |ones in x − 3| ≥ 1: all but the choice of 3 of 6 ones and 3 of 6 zeros
	want := 1 - 400.0/924
	if math.Abs(r.P-want) > 0.015 {
		t.Errorf("p = %g, want %g", r.P, want)
	}
}

func TestTestsRefuse(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1}
	good := normal(generator(2), 20, 2, 0, 1)
	bad := normal(generator(2), 20, 2, 0, 1)
	bad.At(7)[1] = math.NaN()
	far := normal(generator(2), 20, 2, 0, 1)
	far.At(3)[0] = math.Inf(1)
	mmd := func(m MMD[vec], x, y data.Points[vec]) error { _, err := m.Test(background, x, y); return err }
	hsic := func(h HSIC[vec, vec], x, y data.Points[vec]) error { _, err := h.Test(background, x, y); return err }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"one point": {mmd(MMD[vec]{Kernel: k}, normal(generator(1), 1, 2, 0, 1), good), "1 and 20 points"},
		"no points": {mmd(MMD[vec]{Kernel: k}, nil, good), "0 and 20 points"},
		"no kernel": {mmd(MMD[vec]{}, good, good), "no kernel"},
		"NaN":       {mmd(MMD[vec]{Kernel: k}, good, bad), "7"},
		"Inf":       {mmd(MMD[vec]{Kernel: k, Estimate: Linear}, far, good), "3"},
		"columns":   {mmd(MMD[vec]{Kernel: k}, good, constant(20, 1)), "1 coordinates"},
		"level":     {mmd(MMD[vec]{Kernel: k, TestSettings: TestSettings{Alpha: 2}}, good, good), "alpha = 2"},
		"permutations": {mmd(MMD[vec]{Kernel: k, TestSettings: TestSettings{Permutations: -1}}, good, good),
			"-1 permutations"},
		"null": {mmd(MMD[vec]{Kernel: k, TestSettings: TestSettings{Null: NullNormal}}, good, good),
			"no normal null"},
		"block":    {mmd(MMD[vec]{Kernel: k, Estimate: Block, BlockSize: 21}, good, good), "blocks of 21"},
		"estimate": {mmd(MMD[vec]{Kernel: k, Estimate: 9}, good, good), "unknown estimate"},
		"overflow": {mmd(MMD[vec]{Kernel: kernel.Linear{}}, constant(4, 1e200), constant(4, -1e200)), ""},
		"pairs": {hsic(HSIC[vec, vec]{KernelX: k, KernelY: k}, good, normal(generator(1), 19, 2, 0, 1)),
			"20 points x but 19"},
		"HSIC NaN": {hsic(HSIC[vec, vec]{KernelX: k, KernelY: k}, good, bad), "7"},
		"HSIC few": {hsic(HSIC[vec, vec]{KernelX: k, KernelY: k, Unbiased: true}, normal(generator(1), 3, 2, 0, 1),
			normal(generator(1), 3, 2, 0, 1)), "at least 4"},
		"HSIC no kernel": {hsic(HSIC[vec, vec]{KernelX: k}, good, good), "no kernel"},
		"HSIC one point": {hsic(HSIC[vec, vec]{KernelX: k, KernelY: k}, normal(generator(1), 1, 2, 0, 1),
			normal(generator(1), 1, 2, 0, 1)), "1 points"},
		"dHSIC one": {second(DHSIC{}.Test(background, NewVariable[vec](k, good))), "1 variables"},
		"dHSIC sizes": {second(DHSIC{}.Test(background, NewVariable[vec](k, good), NewVariable[vec](k, constant(3, 1)))),
			"has 3"},
		"dHSIC empty": {second(DHSIC{}.Test(background, Variable{}, NewVariable[vec](k, good))), "NewVariable"},
		"COCO of three": {second(Dependence{}.Test(background, NewVariable[vec](k, good), NewVariable[vec](k, good),
			NewVariable[vec](k, good))), "two variables"},
		"kappa": {second(Dependence{Measure: Correlation, Kappa: -1}.Test(background, NewVariable[vec](k, good),
			NewVariable[vec](k, good))), "kappa"},
		"COCO NaN":   {second(Dependence{}.Test(background, NewVariable[vec](k, good), NewVariable[vec](k, bad))), "7"},
		"no kernels": {second(AggregatedMMD[vec]{}.Test(background, good, good)), "no kernels"},
		"weights": {second(AggregatedMMD[vec]{Kernels: []kernel.Kernel[vec]{k}, Shares: []float64{2}}.Test(background,
			good, good)), "sum to 2"},
		"conditional": {second(ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{k}}.Test(background, good, good,
			normal(generator(1), 9, 1, 0, 1))), "as many of each"},
		"conditional NaN": {second(ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{k}}.Test(background, bad, good,
			good)), "7"},
		"conditional huge": {second(ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{k}}.Test(background,
			stack(20, func(i int) vec {
				return vec{1e308 * math.Pow(-1, float64(i))}
			}), good, good)), "overflow"},
		"median": {second(MedianKernel(constant(3, 1), constant(3, 1))), "differ"},
		"selection": {second(SelectByPower(background, []kernel.Kernel[vec]{k}, constant(3, 1), good, PowerOptions{})),
			"too few"},
		"witness": {second(Witness[vec](context.Background(), k, good, constant(0, 1))), "0 points"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, c.err, c.want)
		}
	}
}

func second[R any](_ R, err error) error { return err }

func TestTestsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	cancel()
	x, y := normal(generator(1), 100, 20, 0, 1), normal(generator(2), 100, 20, 0, 1)
	k := kernel.Gaussian{Lengthscale: 1}
	a, b := NewVariable[vec](k, x), NewVariable[vec](k, y)
	for i, err := range []error{
		second(MMD[vec]{Kernel: k}.Test(ctx, x, y)),
		second(MMD[vec]{Kernel: k, Estimate: Linear}.Test(ctx, x, y)),
		second(MMD[vec]{Kernel: k, Estimate: Block}.Test(ctx, x, y)),
		second(HSIC[vec, vec]{KernelX: k, KernelY: k}.Test(ctx, x, y)),
		second(DHSIC{}.Test(ctx, a, b)),
		second(Dependence{}.Test(ctx, a, b)),
		second(AggregatedMMD[vec]{Kernels: []kernel.Kernel[vec]{k}}.Test(ctx, x, y)),
		second(ConditionalIndependence[vec]{Kernels: []kernel.Kernel[vec]{k}}.Test(ctx, x, y, x)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("test %d: %v", i, err)
		}
	}
}

// Few draws cannot reject, and say so.
func TestTooFewPermutations(t *testing.T) {
	r := must(MMD[vec]{Kernel: kernel.Gaussian{Lengthscale: 1},
		TestSettings: TestSettings{Permutations: 10}}.Test(background, constant(9, 0), constant(9, 5)))(t)
	if r.Reject || !math.IsInf(r.Threshold, 1) || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "at least 19") {
		t.Errorf("%+v", r)
	}
}
