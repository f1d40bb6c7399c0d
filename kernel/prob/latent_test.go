package prob_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

var planePoints = data.Slice[kernel.Vec]{{0, 0}, {1, -0.5}, {0.3, 2}, {-1, -1}, {0.5, 0.5}, {2, 0}}

func TestLatentBySum(t *testing.T) {
	m := prob.Mixture{Weights: []float64{0.2, 0.5, 0.3}, Parts: normals2(3)}
	against(t, kernel.Kernel[kernel.Vec](m.Latent()), planePoints, 1e-12, func(x, y kernel.Vec) float64 {
		s := 0.0
		for i, p := range m.Parts {
			s += m.Weights[i] * math.Exp(p.LogDensity(x)+p.LogDensity(y))
		}
		return s
	})
	one := prob.Latent[kernel.Vec]{Weights: []float64{1},
		Density: func(_ int, x kernel.Vec) float64 { return math.Exp(m.LogDensity(x)) }}
	against(t, kernel.Kernel[kernel.Vec](one), planePoints, 1e-12,
		func(x, y kernel.Vec) float64 { return math.Exp(m.LogDensity(x) + m.LogDensity(y)) })
}

// factor is a model of one factor in the plane.
var factor = prob.FactorLatent{Loadings: mat.NewDense(2, 1, []float64{0.8, -0.5}), Mean: kernel.Vec{0.2, 0.1},
	Noise: kernel.Vec{0.5, 0.9}}

func density(x, mean, variance float64) float64 {
	return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
}

// The joint density as the integral over the factor.
func factorJoint(x, y kernel.Vec) float64 {
	return line(func(z float64) float64 {
		p := density(z, 0, 1)
		for i := range 2 {
			mean := factor.Mean[i] + factor.Loadings.At(i, 0)*z
			p *= density(x[i], mean, factor.Noise[i]) * density(y[i], mean, factor.Noise[i])
		}
		return p
	})
}

func TestContinuousLatentAndSeegerByIntegrals(t *testing.T) {
	against(t, kernel.Kernel[kernel.Vec](factor), planePoints, 1e-10, factorJoint)
	// Seeger's kernel from the mutual information itself, which needs Q(x) too.
	single := func(x kernel.Vec) float64 {
		return line(func(z float64) float64 {
			p := density(z, 0, 1)
			for i := range 2 {
				p *= density(x[i], factor.Mean[i]+factor.Loadings.At(i, 0)*z, factor.Noise[i])
			}
			return p
		})
	}
	shared := func(x, y kernel.Vec) float64 { return math.Log(factorJoint(x, y) / (single(x) * single(y))) }
	against(t, kernel.Kernel[kernel.Vec](prob.Covariance[kernel.Vec]{LogJoint: factor.LogJoint}), planePoints, 1e-9,
		func(x, y kernel.Vec) float64 {
			return math.Exp(shared(x, y) - shared(x, x)/2 - shared(y, y)/2)
		})
	// Two words: Dirichlet is Beta(2.5, 1.5), and the integral is over its one probability.
	m := prob.DirichletMultinomial{Alpha: []float64{2.5, 1.5}}
	joint := func(x, y kernel.Vec) float64 {
		const steps = 20000
		s, norm := 0.0, 0.0
		for i := range steps {
			p := (float64(i) + 0.5) / steps
			prior := math.Pow(p, 1.5) * math.Pow(1-p, 0.5)
			norm += prior
			s += prior * math.Pow(p, x[0]+y[0]) * math.Pow(1-p, x[1]+y[1])
		}
		return s / norm
	}
	counts := data.Slice[kernel.Vec]{{0, 0}, {1, 2}, {3, 0}}
	against(t, kernel.Kernel[kernel.Vec](prob.Covariance[kernel.Vec]{LogJoint: m.LogJoint}), counts, 1e-5,
		func(x, y kernel.Vec) float64 {
			return joint(x, y) / math.Sqrt(joint(x, x)*joint(y, y))
		})
}

// sameState is a Gaussian kernel on points of one state, 0 between states.
type sameState struct{ kernel.Gaussian }

func (k sameState) Eval(x, y prob.Caused[kernel.Vec]) float64 {
	if x.State != y.State {
		return 0
	}
	return k.Gaussian.Eval(x.Point, y.Point)
}
func (k sameState) With(theta []float64) kernel.Kernel[prob.Caused[kernel.Vec]] {
	return sameState{kernel.Gaussian{Lengthscale: theta[0]}}
}

func marginal() (prob.Mixture, prob.Marginalized[kernel.Vec]) {
	m := prob.Mixture{Weights: []float64{0.4, 0.6}, Parts: normals2(2)}
	return m, prob.Marginalized[kernel.Vec]{Posterior: m.Posterior, Kernel: sameState{kernel.Gaussian{Lengthscale: 1.5}}}
}

func TestMarginalizedBySum(t *testing.T) {
	m, k := marginal()
	against(t, kernel.Kernel[kernel.Vec](k), planePoints, 1e-12, func(x, y kernel.Vec) float64 {
		s := 0.0
		for i, p := range m.Parts {
			s += m.Weights[i] * m.Weights[i] * math.Exp(p.LogDensity(x)-m.LogDensity(x)+p.LogDensity(y)-m.LogDensity(y)-kernel.SqDist.Between(x,
				y)/4.5)
		}
		return s
	})
}

// conform runs the checks but that of sparse rows, for kernels whose domain it leaves or which
// OnSparse does not lift.
func conform(t *testing.T, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) {
	t.Helper()
	for _, c := range kerneltest.Checks[kernel.Vec]() {
		if c.Name == "sparse equals dense" {
			continue
		}
		if err := c.Test(k, kerneltest.Options[kernel.Vec]{Points: x}); err != nil {
			t.Errorf("%T: %s: %v", k, c.Name, err)
		}
	}
}

func must[K any](t *testing.T) func(k K, err error) K {
	return func(k K, err error) K {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}

func TestModelKernelsConform(t *testing.T) {
	vec, seq := must[prob.Fisher[kernel.Vec]](t), must[prob.Fisher[[]int]](t)
	m, marginalized := marginal()
	for _, k := range []kernel.Kernel[kernel.Vec]{m.Latent(), factor,
		prob.Covariance[kernel.Vec]{LogJoint: factor.LogJoint}, marginalized,
		vec(prob.FisherExact[kernel.Vec](prob.NormalModel{Normal: m.Parts[0], FreeCovariance: true})),
		vec(prob.FisherIdentity[kernel.Vec](prob.MixtureModel{Mixture: m})),
		vec(prob.FisherSimulated[kernel.Vec](prob.MixtureModel{Mixture: m}, 500, 1)),
		vec(prob.FisherEmpirical[kernel.Vec](prob.MixtureModel{Mixture: m, FreeCovariance: true},
			kerneltest.Vectors(1, 40, 2)))} {
		conform(t, k, kerneltest.Vectors(2, 10, 2))
	}
	counts := data.Slice[kernel.Vec]{{0, 0, 0}, {1, 2, 0}, {3, 1, 1}, {0, 5, 2}, {1, 1, 1}, {0, 0, 9}}
	dirichlet := prob.DirichletMultinomial{Alpha: []float64{0.5, 0.1, 2}}
	for _, k := range []kernel.Kernel[kernel.Vec]{vec(prob.FisherExact[kernel.Vec](prob.Multinomial{P: []float64{0.5, 0.2,
		0.3}, Length: 4})),
		vec(prob.FisherIdentity[kernel.Vec](dirichlet)), prob.Covariance[kernel.Vec]{LogJoint: dirichlet.LogJoint}} {
		conform(t, k, counts)
	}
	fitted := must[prob.MarkovChain](t)(prob.NewMarkovChain(sequences, 1, 3, 0.5))
	for _, k := range []kernel.Kernel[[]int]{seq(prob.FisherExact[[]int](fitted)),
		seq(prob.FisherEmpirical[[]int](twoStates, sequences)), seq(prob.FisherSimulated[[]int](twoStates, 200, 1)),
		seq(prob.FisherIdentity[[]int](twoStates)), prob.HMMProduct{Model: twoStates},
		prob.MarginalizedCount{Model: twoStates}, prob.MarginalizedCount{Model: twoStates, Order: 2}} {
		kerneltest.Run(t, k, kerneltest.Options[[]int]{Points: sequences})
		kerneltest.Run(t, kernel.Normalize(k), kerneltest.Options[[]int]{Points: sequences})
	}
}

func TestRefusedModels(t *testing.T) {
	m, k := marginal()
	m.Weights = []float64{0.5, 0.6}
	broken := k
	broken.Posterior = func(kernel.Vec) []float64 { return []float64{0.5, 0.4} }
	for want, err := range map[string]error{
		"latent: the weights: probabilities sum to 1.1": m.Latent().Validate(),
		"latent: no density":                            prob.Latent[int]{Weights: []float64{1}}.Validate(),
		"latent: row 1 has density -1 under cause 0": prob.Latent[int]{Weights: []float64{1},
			Density: func(_, x int) float64 { return float64(x) }}.CheckPoints(data.Slice[int]{1, -1}),
		"mixture model: the weights: probabilities sum to 1.1": prob.MixtureModel{Mixture: m}.Validate(),
		"the posterior of row 0: probabilities sum to 0.9":     broken.CheckPoints(planePoints),
		"no posterior or no kernel":                            prob.Marginalized[int]{}.Validate(),
		"noise[1] = 0": prob.FactorLatent{Loadings: mat.NewDense(2, 1, nil),
			Mean: kernel.Vec{0, 0}, Noise: kernel.Vec{1, 0}}.Validate(),
		"no loadings": prob.FactorLatent{}.Validate(),
		"loadings of 2 coordinates, a mean of 1": prob.FactorLatent{Loadings: mat.NewDense(2, 1, nil),
			Mean: kernel.Vec{0}, Noise: kernel.Vec{1, 1}}.Validate(),
		"factorlatent: row 0 has 1 coordinates, want 2": factor.CheckPoints(data.Slice[kernel.Vec]{{1}}),
		"factorlatent: row 0, column 1 is NaN":          factor.CheckPoints(data.Slice[kernel.Vec]{{1, math.NaN()}}),
		"no joint density":                              prob.Covariance[int]{}.Validate(),
		"seegercovariance: row 0 has ln Q(x, x) = -Inf": prob.Covariance[int]{LogJoint: func(x,
			y int) float64 {
			return math.Inf(-1)
		}}.CheckPoints(data.Slice[int]{1}),
		"multinomial: the model: probabilities sum to 0.8": prob.Multinomial{P: []float64{0.4, 0.4}}.Validate(),
		"multinomial: length = -1":                         prob.Multinomial{P: []float64{1}, Length: -1}.Validate(),
		"multinomial: row 0, column 1 is 2, but the model": prob.Multinomial{P: []float64{1,
			0}}.CheckPoints(data.Slice[kernel.Vec]{{1, 2}}),
		"multinomial: row 0, column 0 is -1; a count": prob.Multinomial{P: []float64{1,
			0}}.CheckPoints(data.Slice[kernel.Vec]{{-1, 2}}),
		"multinomial: row 0 has 1 counts, want 2": prob.Multinomial{P: []float64{1,
			0}}.CheckPoints(data.Slice[kernel.Vec]{{1}}),
		"alpha[1] = 0":     prob.DirichletMultinomial{Alpha: []float64{1, 0}}.Validate(),
		"no alpha":         prob.DirichletMultinomial{}.Validate(),
		"fisher: no model": prob.Fisher[int]{}.Validate(),
		"normal model: the covariance is not 1×1": prob.NormalModel{Normal: prob.Normal{Mean: []float64{1}}}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
