package discrete_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
)

// fuzzySets have degrees 0, 0.1, … 1, in any order of the elements, an empty set among them.
func fuzzySets(n int) data.Slice[[]discrete.Member[int]] {
	rng := rand.New(rand.NewPCG(9, 1))
	out := data.Slice[[]discrete.Member[int]]{{}}
	for len(out) < n {
		var x []discrete.Member[int]
		for _, e := range rng.Perm(7)[:1+rng.IntN(6)] {
			x = append(x, discrete.Member[int]{Element: e, Degree: float64(rng.IntN(11)) / 10})
		}
		out = append(out, x)
	}
	return out
}

func degree(x []discrete.Member[int], e int) float64 {
	for _, m := range x {
		if m.Element == e {
			return m.Degree
		}
	}
	return 0
}

// Each norm by an integral that shows it to be an inner product: ∫₀¹ 1(t<a)1(t<b) dt = min(a, b);
// 1/(u+v) = ∫₀^∞ e^{-tu}e^{-tv} dt with u = 1/a - ½ for Hamacher's, the latter over t = s/(1-s).
func TestFuzzyIntersectionByIntegrals(t *testing.T) {
	const steps = 20000
	integral := func(f func(s float64) float64) float64 {
		sum := 0.0
		for i := range steps {
			sum += f((float64(i) + 0.5) / steps)
		}
		return sum / steps
	}
	table := map[discrete.TNorm]*[11][11]float64{discrete.Minimum: {}, discrete.Product: {}, discrete.Hamacher: {}}
	for i := 1; i <= 10; i++ {
		for j := 1; j <= 10; j++ {
			a, b := float64(i)/10, float64(j)/10
			table[discrete.Product][i][j] = a * b
			table[discrete.Minimum][i][j] = integral(func(s float64) float64 {
				if s < a && s < b {
					return 1
				}
				return 0
			})
			table[discrete.Hamacher][i][j] = integral(func(s float64) float64 {
				return math.Exp(-s/(1-s)*(1/a+1/b-1)) / ((1 - s) * (1 - s))
			})
		}
	}
	for norm, values := range table {
		against(t, kernel.Kernel[[]discrete.Member[int]](discrete.FuzzyIntersection[int]{Norm: norm}), fuzzySets(12), 1e-6,
			func(a, b []discrete.Member[int]) float64 {
				sum := 0.0
				for e := range 7 {
					sum += values[int(math.Round(10*degree(a, e)))][int(math.Round(10*degree(b, e)))]
				}
				return sum
			})
	}
}

// near is a kernel on whole numbers.
type near struct{}

func (near) Eval(x, y int) float64         { return math.Exp(-math.Abs(float64(x - y))) }
func (near) Properties() kernel.Properties { return kernel.Properties{PSD: kernel.Yes, Bound: 1} }

func TestFuzzyCrossByTheSum(t *testing.T) {
	width := kernel.Gaussian{Lengthscale: 0.5}
	for _, k := range []discrete.FuzzyCross[int]{{Elements: near{}}, {Elements: near{}, Degrees: width}} {
		against(t, kernel.Kernel[[]discrete.Member[int]](k), fuzzySets(12), 1e-12, func(a, b []discrete.Member[int]) float64 {
			sum := 0.0
			for i := range 7 {
				for j := range 7 {
					u, v := degree(a, i), degree(b, j)
					by := u * v
					if k.Degrees != nil && u > 0 && v > 0 {
						by = math.Exp(-2 * (u - v) * (u - v))
					}
					sum += math.Exp(-math.Abs(float64(i-j))) * by
				}
			}
			return sum
		})
	}
}

func TestFuzzyKernelsConform(t *testing.T) {
	x := fuzzySets(14)
	for _, k := range []kernel.Kernel[[]discrete.Member[int]]{discrete.FuzzyIntersection[int]{},
		discrete.FuzzyIntersection[int]{Norm: discrete.Product},
		discrete.FuzzyIntersection[int]{Norm: discrete.Hamacher}, discrete.FuzzyCross[int]{Elements: near{}},
		discrete.FuzzyCross[int]{Elements: near{}, Degrees: kernel.Gaussian{Lengthscale: 0.5}}} {
		kerneltest.Run(t, k, kerneltest.Options[[]discrete.Member[int]]{Points: x})
	}
	v := data.Slice[[]discrete.Member[kernel.Vec]]{{{kernel.Vec{1, 2}, 0.5}},
		{{kernel.Vec{0, 1}, 1}, {kernel.Vec{2, 2}, 0.3}}, {}, {{kernel.Vec{-1, 0}, 0}}, {{kernel.Vec{1, 1}, 0.2}}}
	kerneltest.Run(t,
		kernel.Kernel[[]discrete.Member[kernel.Vec]](discrete.FuzzyCross[kernel.Vec]{Elements: kernel.Gaussian{},
			Degrees: kernel.Gaussian{Lengthscale: 0.3}}), kerneltest.Options[[]discrete.Member[kernel.Vec]]{Points: v})
}

func TestRefusedFuzzySets(t *testing.T) {
	bad := func(d float64) data.Slice[[]discrete.Member[int]] {
		return data.Slice[[]discrete.Member[int]]{{}, {{1, 0.5}, {2, d}}}
	}
	for want, err := range map[string]error{
		"fuzzyintersection: row 1, position 1: the degree of membership is -0.1": discrete.FuzzyIntersection[int]{}.CheckPoints(bad(-0.1)),
		"fuzzycross: row 1, position 1: the degree of membership is 1.5":         discrete.FuzzyCross[int]{Elements: near{}}.CheckPoints(bad(1.5)),
		"the degree of membership is NaN":                                        discrete.FuzzyCross[int]{Elements: near{}}.CheckPoints(bad(math.NaN())),
		"row 0, position 1: 3 is there at position 0": discrete.FuzzyIntersection[int]{}.CheckPoints(data.Slice[[]discrete.Member[int]]{{{3,
			0.5}, {3, 0.1}}}),
		"no t-norm TNorm(7)":    discrete.FuzzyIntersection[int]{Norm: 7}.Validate(),
		"no kernel on elements": discrete.FuzzyCross[int]{}.Validate(),
		"gaussian: lengthscale = -1": discrete.FuzzyCross[int]{Elements: near{},
			Degrees: kernel.Gaussian{Lengthscale: -1}}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
