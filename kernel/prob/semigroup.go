package prob

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"gonum.org/v1/gonum/mat"
)

// SemigroupEntropy is the entropy kernel on measures, a function of the sum of two distributions
// alone,
//
//	k(p, q) = exp(-t·H((p+q)/2)),   H(r) = -Σ rᵢ ln rᵢ,
//
// t = Rate (1 when zero) (Cuturi, Fukumizu & Vert, Semigroup kernels on measures, JMLR 6, 2005). H
// is negative definite on this semigroup: k is exp(-t·D·ln 2) of Jensen–Shannon's D, times a
// function of p and one of q.
type SemigroupEntropy struct {
	Rate float64
}

// Name is "semigroupentropy".
func (SemigroupEntropy) Name() string { return "semigroupentropy" }

// Eval returns exp(-t·H((p+q)/2)).
func (k SemigroupEntropy) Eval(x, y kernel.Vec) float64 {
	h := 0.0
	for i, p := range x {
		if r := (p + y[i]) / 2; r > 0 {
			h -= r * math.Log(r)
		}
	}
	return math.Exp(-field.Or(k.Rate, 1) * h)
}

// Params is t.
func (k SemigroupEntropy) Params() []kernel.Param {
	return []kernel.Param{field.Positive("semigroupentropy.rate", field.Or(k.Rate, 1))}
}

// With sets t.
func (SemigroupEntropy) With(theta []float64) kernel.Kernel[kernel.Vec] {
	return SemigroupEntropy{theta[0]}
}

// Validate refuses t < 0.
func (k SemigroupEntropy) Validate() error {
	return field.MustBePositive("semigroupentropy", "rate", k.Rate)
}

// CheckPoints refuses what is no distribution.
func (SemigroupEntropy) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkHistograms("semigroupentropy", x)
}

// Properties of the entropy kernel: H ≥ 0, up to what sums may be off.
func (k SemigroupEntropy) Properties() kernel.Properties {
	p := field.Discrete(math.Exp(1e-5 * field.Or(k.Rate, 1)))
	p.Continuous = kernel.Yes
	return p
}

// SemigroupVariance is the inverse generalised variance of two samples put together, each with half
// of the weight,
//
//	k(X, Y) = |I + Σ/η|^{-1/2},   Σ the covariance of ½(P_X + P_Y),
//
// η = Ridge (1 when zero) (Cuturi, Fukumizu & Vert 2005). It is ∫ exp(-vᵀΣv/2) dN(v; 0, I/η), and
// -vᵀΣv is a sum of terms of X and of Y and half of the product of their means along v. An empty
// sample is like a sample of zeros.
type SemigroupVariance struct {
	Ridge float64
}

// Name is "semigroupvariance".
func (SemigroupVariance) Name() string { return "semigroupvariance" }

// moments are the mean and the mean of xxᵀ of a sample.
type moments struct {
	mean   []float64
	second *mat.SymDense
}

func momentsOf(x []kernel.Vec) moments {
	if len(x) == 0 {
		return moments{}
	}
	d := len(x[0])
	m := moments{mean: make([]float64, d), second: mat.NewSymDense(max(d, 1), nil)}
	for _, p := range x {
		for i, v := range p {
			m.mean[i] += v / float64(len(x))
		}
		m.second.SymRankOne(m.second, 1/float64(len(x)), mat.NewVecDense(d, p))
	}
	return m
}

// Eval returns |I + Σ/η|^{-1/2}.
func (k SemigroupVariance) Eval(x, y []kernel.Vec) float64 {
	return k.between(momentsOf(x), momentsOf(y))
}

// PreparePoints takes the moments of each sample once.
func (k SemigroupVariance) PreparePoints(ctx context.Context, x, y data.Points[[]kernel.Vec]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, momentsOf, k.between)
}

func (k SemigroupVariance) between(p, q moments) float64 {
	d := max(len(p.mean), len(q.mean))
	if d == 0 {
		return 1
	}
	c := mat.NewSymDense(d, nil)
	mean := mat.NewVecDense(d, nil)
	for _, m := range []moments{p, q} {
		for i, v := range m.mean {
			mean.SetVec(i, mean.AtVec(i)+v/2)
			for j := range i + 1 {
				c.SetSym(i, j, c.At(i, j)+m.second.At(i, j)/2)
			}
		}
	}
	c.SymRankOne(c, -1, mean)
	eta := field.Or(k.Ridge, 1)
	for i := range d {
		for j := range i + 1 {
			c.SetSym(i, j, c.At(i, j)/eta)
		}
		c.SetSym(i, i, c.At(i, i)+1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return math.NaN()
	}
	return math.Exp(-chol.LogDet() / 2)
}

// Params is η.
func (k SemigroupVariance) Params() []kernel.Param {
	return []kernel.Param{field.Positive("semigroupvariance.ridge", field.Or(k.Ridge, 1))}
}

// With sets η.
func (SemigroupVariance) With(theta []float64) kernel.Kernel[[]kernel.Vec] {
	return SemigroupVariance{theta[0]}
}

// Validate refuses η < 0.
func (k SemigroupVariance) Validate() error {
	return field.MustBePositive("semigroupvariance", "ridge", k.Ridge)
}

// CheckPoints refuses coordinates that are no numbers, and points of different dimensions.
func (SemigroupVariance) CheckPoints(x data.Points[[]kernel.Vec]) error {
	return checkSamples("semigroupvariance", kernel.Kernel[kernel.Vec](kernel.Linear{}), x)
}

// Properties of the inverse variance.
func (SemigroupVariance) Properties() kernel.Properties {
	p := field.Discrete(1 + 1e-9)
	p.Strict = kernel.No
	return p
}
