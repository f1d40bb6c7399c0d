package prob_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// against compares a kernel with an oracle on all pairs, by values and by blocks.
func against[T any](t *testing.T, k kernel.Kernel[T], x data.Slice[T], tol float64, want func(a, b T) float64) {
	t.Helper()
	got := mat.NewDense(len(x), len(x), nil)
	kernel.Block(context.Background(), k, got, data.Points[T](x), data.Points[T](x))
	for i, a := range x {
		for j, b := range x {
			w := want(a, b)
			if v := k.Eval(a, b); !(math.Abs(v-w) <= tol*(1+math.Abs(w))) {
				t.Fatalf("%T: k(%v, %v) = %v, want %v", k, a, b, v, w)
			}
			if v := got.At(i, j); !(math.Abs(v-w) <= tol*(1+math.Abs(w))) {
				t.Fatalf("%T: block at %v, %v: %v, want %v", k, a, b, v, w)
			}
		}
	}
}

// histograms are random distributions on 5 bins, some bins empty.
func histograms(n int) data.Slice[kernel.Vec] {
	rng := rand.New(rand.NewPCG(2, 2))
	out := data.Slice[kernel.Vec]{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0.2, 0.2, 0.2, 0.2, 0.2}}
	for len(out) < n {
		p, sum := make(kernel.Vec, 5), 0.0
		for i := range p {
			if rng.IntN(4) > 0 {
				p[i] = rng.ExpFloat64()
			}
			sum += p[i]
		}
		if sum > 0 {
			for i := range p {
				p[i] /= sum
			}
			out = append(out, p)
		}
	}
	return out
}

func entropy(p []float64) float64 {
	h := 0.0
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return h
}

func middle(p, q []float64) []float64 {
	out := make([]float64, len(p))
	for i := range p {
		out[i] = (p[i] + q[i]) / 2
	}
	return out
}

func sumOver(p, q []float64, f func(a, b float64) float64) float64 {
	s := 0.0
	for i := range p {
		s += f(p[i], q[i])
	}
	return s
}

// Every kernel on histograms by the divergence as it is defined.
func TestHistogramsByDefinition(t *testing.T) {
	x := histograms(12)
	for rho, power := range map[float64]float64{0: 0.5, 1: 1, 0.3: 0.3} {
		against(t, kernel.Kernel[kernel.Vec](prob.Product{Rho: rho}), x, 1e-12, func(p, q kernel.Vec) float64 {
			return sumOver(p, q, func(a, b float64) float64 { return math.Pow(a*b, power) })
		})
	}
	for of, divergence := range map[prob.Divergence]func(p, q []float64) float64{
		prob.Hellinger: func(p, q []float64) float64 {
			return sumOver(p, q, func(a, b float64) float64 { d := math.Sqrt(a) - math.Sqrt(b); return d * d / 2 })
		},
		prob.JensenShannon: func(p, q []float64) float64 {
			return (entropy(middle(p, q)) - entropy(p)/2 - entropy(q)/2) / math.Ln2
		},
		prob.ChiSquare: func(p, q []float64) float64 {
			return sumOver(p, q, func(a, b float64) float64 {
				if a+b == 0 {
					return 0
				}
				return (a - b) * (a - b) / (a + b) / 2
			})
		},
		prob.TotalVariation: func(p, q []float64) float64 {
			return sumOver(p, q, func(a, b float64) float64 { return math.Abs(a-b) / 2 })
		},
	} {
		k := kernel.Kernel[kernel.Vec](prob.Hilbertian{Of: of})
		against(t, k, x, 1e-12, func(p, q kernel.Vec) float64 { return 1 - divergence(p, q) })
		against(t, kernel.Substitute(kernel.Gaussian{Lengthscale: 0.7}, k), x, 1e-10,
			func(p, q kernel.Vec) float64 { return math.Exp(-divergence(p, q) / 0.49) })
	}
	against(t, kernel.Kernel[kernel.Vec](prob.SemigroupEntropy{Rate: 0.8}), x, 1e-12, func(p, q kernel.Vec) float64 {
		return math.Exp(-0.8 * entropy(middle(p, q)))
	})
}

func normals1(n int) data.Slice[prob.Normal] {
	rng := rand.New(rand.NewPCG(2, 3))
	var out data.Slice[prob.Normal]
	for range n {
		out = append(out, prob.Normal{Mean: []float64{rng.NormFloat64()},
			Cov: mat.NewSymDense(1, []float64{0.3 + rng.ExpFloat64()})})
	}
	return out
}

func normals2(n int) data.Slice[prob.Normal] {
	rng := rand.New(rand.NewPCG(2, 4))
	var out data.Slice[prob.Normal]
	for range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		out = append(out, prob.Normal{Mean: []float64{rng.NormFloat64(), rng.NormFloat64()},
			Cov: mat.NewSymDense(2, []float64{0.4 + a*a, a * b, a * b, 0.4 + b*b + c*c})})
	}
	return out
}

// line integrates over [-20, 20] by the trapezoidal rule, which is exact to rounding for smooth
// functions that vanish there.
func line(f func(x float64) float64) float64 {
	s := 0.0
	for i := -400; i <= 400; i++ {
		s += f(float64(i) / 20)
	}
	return s / 20
}

func TestNormalProductByIntegrals(t *testing.T) {
	for _, rho := range []float64{0.3, 0.5, 1, 2} {
		k := kernel.Kernel[prob.Normal](prob.NormalProduct{Rho: rho})
		against(t, k, normals1(5), 1e-9, func(p, q prob.Normal) float64 {
			return line(func(x float64) float64 {
				return math.Exp(rho * (p.LogDensity([]float64{x}) + q.LogDensity([]float64{x})))
			})
		})
		against(t, k, normals2(2), 1e-6, func(p, q prob.Normal) float64 {
			s := 0.0
			for i := -52; i <= 52; i++ {
				for j := -52; j <= 52; j++ {
					x := []float64{float64(i) / 4, float64(j) / 4}
					s += math.Exp(rho * (p.LogDensity(x) + q.LogDensity(x)))
				}
			}
			return s / 16
		})
	}
}

// With N(x, σ²I) for a point x and ρ = 1, the product is the Gaussian kernel of width √2σ times
// (4πσ²)^{-d/2}.
func TestProductOfNormalsAroundPointsIsGaussian(t *testing.T) {
	const variance = 0.7
	k := kernel.Pullback[kernel.Vec, prob.Normal](prob.NormalProduct{Rho: 1}, func(x kernel.Vec) prob.Normal {
		return prob.Normal{Mean: x, Cov: mat.NewSymDense(3, []float64{variance, 0, 0, 0, variance, 0, 0, 0, variance})}
	})
	v := kerneltest.Vectors(1, 6, 3)
	var x data.Slice[kernel.Vec]
	for i := range v.Len() {
		x = append(x, v.At(i))
	}
	against(t, k, x, 1e-12, func(a, b kernel.Vec) float64 {
		return math.Pow(4*math.Pi*variance, -1.5) * math.Exp(-kernel.SqDist.Between(a, b)/(4*variance))
	})
}

func mixtures(n int) data.Slice[prob.Mixture] {
	parts := normals1(2 * n)
	var out data.Slice[prob.Mixture]
	for i := range n {
		w := float64(i+1) / float64(n+1)
		out = append(out, prob.Mixture{Weights: []float64{w, 1 - w}, Parts: parts[2*i : 2*i+2]})
	}
	return out
}

func TestMixtureProductByIntegral(t *testing.T) {
	against(t, kernel.Kernel[prob.Mixture](prob.MixtureProduct{}), mixtures(5), 1e-9, func(p, q prob.Mixture) float64 {
		return line(func(x float64) float64 { return math.Exp(p.LogDensity([]float64{x}) + q.LogDensity([]float64{x})) })
	})
}

// Of one part, the product of any power is that of normal distributions; of more parts there is no
// closed form, and they are refused.
func TestMixturesOfOnePartAreNormal(t *testing.T) {
	var x data.Slice[prob.Mixture]
	for _, n := range normals2(4) {
		x = append(x, prob.Mixture{Weights: []float64{1}, Parts: []prob.Normal{n}})
	}
	for _, rho := range []float64{0.3, 0.5, 1, 2} {
		k := prob.MixtureProduct{Rho: rho}
		against(t, kernel.Kernel[prob.Mixture](k), x, 1e-14,
			func(p, q prob.Mixture) float64 { return prob.NormalProduct{Rho: rho}.Eval(p.Parts[0], q.Parts[0]) })
		err := kernel.Check[prob.Mixture](k, mixtures(3))
		if refused := err != nil && strings.Contains(err.Error(), "row 0 is a mixture of 2 parts"); refused != (rho != 1) {
			t.Errorf("ρ = %g: %v", rho, err)
		}
	}
	if err := kernel.Check[prob.Mixture](prob.MixtureProduct{Rho: -1}, x); err == nil {
		t.Error("ρ = -1 is taken")
	}
}

// Histograms of different numbers of bins have no product.
func TestHistogramsOfOneLength(t *testing.T) {
	x := data.Slice[kernel.Vec]{{0.5, 0.5}, {0.2, 0.3, 0.5}}
	for _, k := range []kernel.PointChecker[kernel.Vec]{prob.Product{}, prob.Hilbertian{}} {
		if err := k.CheckPoints(x); err == nil || !strings.Contains(err.Error(), "row 1 has 3 bins, row 0 has 2") {
			t.Errorf("%T: %v", k, err)
		}
	}
}

// samples are of different sizes, an empty one among them.
func samples(n, dim int) data.Slice[[]kernel.Vec] {
	out := data.Slice[[]kernel.Vec]{}
	for i := range n {
		var s []kernel.Vec
		v := kerneltest.Vectors(uint64(i), 7, dim)
		for j := range i % 7 {
			s = append(s, v.At(j))
		}
		out = append(out, s)
	}
	return out
}

// mean is 0 of nothing.
func mean(x []kernel.Vec, dim int) kernel.Vec {
	out := make(kernel.Vec, dim)
	for _, p := range x {
		for i, v := range p {
			out[i] += v / float64(len(x))
		}
	}
	return out
}

func TestMeanEmbeddingOfLinearIsTheMean(t *testing.T) {
	x := samples(12, 3)
	against(t, kernel.Kernel[[]kernel.Vec](prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Linear{}}), x, 1e-12,
		func(a, b []kernel.Vec) float64 {
			return kernel.Inner.Between(mean(a, 3), mean(b, 3))
		})
	against(t, prob.GaussianMMD[kernel.Vec](kernel.Linear{}, 0.8), x, 1e-12, func(a, b []kernel.Vec) float64 {
		return math.Exp(-kernel.SqDist.Between(mean(a, 3), mean(b, 3)) / (2 * 0.64))
	})
	against(t, kernel.Kernel[[]kernel.Vec](prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Gaussian{}}), x, 1e-12,
		func(a, b []kernel.Vec) float64 {
			s := 0.0
			for _, p := range a {
				for _, q := range b {
					s += math.Exp(-kernel.SqDist.Between(p, q)/2) / float64(len(a)*len(b))
				}
			}
			return s
		})
}

// In one dimension the determinant is an integral over the directions v ~ N(0, 1/η).
func TestSemigroupVarianceByIntegral(t *testing.T) {
	const eta = 0.6
	against(t, kernel.Kernel[[]kernel.Vec](prob.SemigroupVariance{Ridge: eta}), samples(8, 1)[1:7], 1e-9,
		func(a, b []kernel.Vec) float64 {
			m, square := 0.0, 0.0
			for _, s := range [][]kernel.Vec{a, b} {
				for _, p := range s {
					m += p[0] / float64(2*len(s))
					square += p[0] * p[0] / float64(2*len(s))
				}
			}
			return line(func(v float64) float64 {
				return math.Exp(-v*v*(square-m*m)/2) * math.Sqrt(eta/(2*math.Pi)) * math.Exp(-eta*v*v/2)
			})
		})
}

func TestDistributionKernelsConform(t *testing.T) {
	for _, k := range []kernel.Kernel[kernel.Vec]{prob.Product{}, prob.Product{Rho: 0.3}, prob.Product{Rho: 1},
		prob.Hilbertian{}, prob.Hilbertian{Of: prob.JensenShannon},
		prob.Hilbertian{Of: prob.ChiSquare}, prob.Hilbertian{Of: prob.TotalVariation}, prob.SemigroupEntropy{Rate: 2}} {
		for _, c := range kerneltest.Checks[kernel.Vec]() {
			if c.Name == "sparse equals dense" { // it takes entries away, and what is left is no distribution
				continue
			}
			if err := c.Test(k, kerneltest.Options[kernel.Vec]{Points: histograms(14), Kinks: true}); err != nil {
				t.Errorf("%#v: %s: %v", k, c.Name, err)
			}
		}
	}
	for _, k := range []kernel.Kernel[prob.Normal]{prob.NormalProduct{}, prob.NormalProduct{Rho: 1},
		prob.NormalProduct{Rho: 0.4}} {
		kerneltest.Run(t, k, kerneltest.Options[prob.Normal]{Points: normals2(10)})
		kerneltest.Run(t, kernel.Normalize(k), kerneltest.Options[prob.Normal]{Points: normals2(10)})
	}
	kerneltest.Run(t, kernel.Kernel[prob.Mixture](prob.MixtureProduct{}),
		kerneltest.Options[prob.Mixture]{Points: mixtures(8)})
	for _, k := range []kernel.Kernel[[]kernel.Vec]{prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Gaussian{}},
		prob.GaussianMMD[kernel.Vec](kernel.Gaussian{}, 0.5), prob.SemigroupVariance{Ridge: 0.3}} {
		kerneltest.Run(t, k, kerneltest.Options[[]kernel.Vec]{Points: samples(14, 2), Tolerance: 1e-9})
	}
}

func TestRefusedDistributions(t *testing.T) {
	hist := func(rows ...kernel.Vec) error {
		return kernel.Check[kernel.Vec](prob.Product{}, data.Slice[kernel.Vec](rows))
	}
	normal := func(mean []float64, cov ...float64) error {
		good := prob.Normal{Mean: []float64{0}, Cov: mat.NewSymDense(1, []float64{1})}
		bad := prob.Normal{Mean: mean}
		if d := int(math.Sqrt(float64(len(cov)))); d > 0 {
			bad.Cov = mat.NewSymDense(d, cov)
		}
		if len(mean) == 2 {
			return kernel.Check[prob.Normal](prob.NormalProduct{}, data.Slice[prob.Normal]{bad})
		}
		return kernel.Check[prob.Normal](prob.NormalProduct{}, data.Slice[prob.Normal]{good, bad})
	}
	mix := func(m ...prob.Mixture) error {
		return kernel.Check[prob.Mixture](prob.MixtureProduct{}, data.Slice[prob.Mixture](m))
	}
	part := prob.Normal{Mean: []float64{0}, Cov: mat.NewSymDense(1, []float64{1})}
	for want, err := range map[string]error{
		"probproduct: row 1: probabilities sum to 0.9":         hist(kernel.Vec{1, 0}, kernel.Vec{0.5, 0.4}),
		"probproduct: row 0, column 1 is -0.5":                 hist(kernel.Vec{1.5, -0.5}),
		"hilbertian: row 0: probabilities sum to 2":            prob.Hilbertian{}.CheckPoints(data.Slice[kernel.Vec]{{1, 1}}),
		"semigroupentropy: row 0: probabilities sum":           prob.SemigroupEntropy{}.CheckPoints(data.Slice[kernel.Vec]{{}}),
		"no Divergence(9)":                                     prob.Hilbertian{Of: 9}.Validate(),
		"rho = -1":                                             prob.Product{Rho: -1}.Validate(),
		"normalproduct: row 1: the mean has 0":                 normal(nil, 1),
		"row 1: mean[0] is NaN":                                normal([]float64{math.NaN()}, 1),
		"row 1: the covariance is not 1×1":                     normal([]float64{1}),
		"row 1: the covariance is not positive definite: it h": normal([]float64{1}, -1),
		"row 0: the covariance is not positive definite: it h": normal([]float64{1, 1}, 1, 2, 2, 1),
		"row 0: covariance[1, 0] is NaN":                       normal([]float64{1, 1}, 1, math.NaN(), math.NaN(), 1),
		"normalproduct: rho = NaN":                             prob.NormalProduct{Rho: math.NaN()}.Validate(),
		"row 0: 0 weights for 0 parts":                         mix(prob.Mixture{}),
		"row 0: the weights: probabilities sum to 0.5": mix(prob.Mixture{Weights: []float64{0.5},
			Parts: []prob.Normal{part}}),
		"row 1: the weights, column 0 is -1": mix(prob.Mixture{Weights: []float64{1}, Parts: []prob.Normal{part}},
			prob.Mixture{Weights: []float64{-1}, Parts: []prob.Normal{part}}),
		"row 0: part 0: the covariance is not 1×1": mix(prob.Mixture{Weights: []float64{1},
			Parts: []prob.Normal{{Mean: []float64{1}}}}),
		"row 1 has 2 dimensions": mix(prob.Mixture{Weights: []float64{1}, Parts: []prob.Normal{part}},
			prob.Mixture{Weights: []float64{1}, Parts: normals2(1)}),
		"no kernel on points": prob.MeanEmbedding[int]{}.Validate(),
		"meanembedding: sample 1: kernel: row 1 has 2": prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Linear{}}.CheckPoints(data.Slice[[]kernel.Vec]{{},
			{{1}, {1, 2}}}),
		"sample 1 has points of 2 coordinates": prob.SemigroupVariance{}.CheckPoints(data.Slice[[]kernel.Vec]{{{1}},
			{{1, 2}}}),
		"ridge = -2": prob.SemigroupVariance{Ridge: -2}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
