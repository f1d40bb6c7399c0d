package prob

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// NormalModel is a normal distribution as a model of vectors. Its parameters are the mean and, with
// FreeCovariance, the covariance Σᵢⱼ for i ≥ j. With z = L⁻¹(x-μ), Σ = LLᵀ, the exact Fisher kernel
// is
//
//	zᵀz' = (x-μ)ᵀΣ⁻¹(y-μ)                                          the mean alone: Mahalanobis' inner product
//	zᵀz' + Σᵢ (zᵢ²-1)(z'ᵢ²-1)/2 + Σ_{i<j} zᵢzⱼz'ᵢz'ⱼ                with the covariance.
type NormalModel struct {
	Normal
	FreeCovariance bool
}

// Validate refuses a covariance that is not positive definite.
func (m NormalModel) Validate() error {
	if reason := m.fault(len(m.Mean)); reason != "" {
		return fmt.Errorf("kernel: normal model: %s", reason)
	}
	return nil
}

// CheckPoints refuses vectors of another dimension.
func (m NormalModel) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkVectors("normal model", len(m.Mean), x)
}

func checkVectors(name string, dim int, x data.Points[kernel.Vec]) error {
	for i := range x.Len() {
		row := x.At(i)
		if len(row) != dim {
			return fmt.Errorf("kernel: %s: row %d has %d coordinates, want %d", name, i, len(row), dim)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel: %s: row %d, column %d is %g", name, i, j, v)
			}
		}
	}
	return nil
}

// Score is Σ⁻¹(x-μ), and ½(Σ⁻¹(x-μ)(x-μ)ᵀΣ⁻¹ - Σ⁻¹) by rows of its lower half, what lies off the
// diagonal twice since Σᵢⱼ = Σⱼᵢ.
func (m NormalModel) Score(x kernel.Vec) kernel.Vec {
	mean, precision := m.meanScore(x)
	if !m.FreeCovariance {
		return mean
	}
	return append(mean, covarianceScore(mean, precision)...)
}

// meanScore is Σ⁻¹(x-μ), and Σ⁻¹.
func (n Normal) meanScore(x kernel.Vec) (kernel.Vec, *mat.SymDense) {
	d := len(n.Mean)
	var chol mat.Cholesky
	var precision mat.SymDense
	if !chol.Factorize(n.Cov) || chol.InverseTo(&precision) != nil {
		return make(kernel.Vec, d), mat.NewSymDense(d, nil)
	}
	diff := mat.NewVecDense(d, nil)
	for i := range d {
		diff.SetVec(i, x[i]-n.Mean[i])
	}
	out := mat.NewVecDense(d, nil)
	out.MulVec(&precision, diff)
	return out.RawVector().Data, &precision
}

func covarianceScore(mean kernel.Vec, precision *mat.SymDense) kernel.Vec {
	var out kernel.Vec
	for i := range mean {
		for j := range i {
			out = append(out, mean[i]*mean[j]-precision.At(i, j))
		}
		out = append(out, (mean[i]*mean[i]-precision.At(i, i))/2)
	}
	return out
}

// Whiten is Lᵀg for the mean; for the covariance LᵀGL, G the score as a symmetric matrix, which is
// ½(zzᵀ - I).
func (m NormalModel) Whiten(g kernel.Vec) kernel.Vec {
	d := len(m.Mean)
	var chol mat.Cholesky
	chol.Factorize(m.Cov)
	var l mat.TriDense
	chol.LTo(&l)
	z := mat.NewVecDense(d, nil)
	z.MulVec(l.T(), mat.NewVecDense(d, g[:d]))
	out := append(kernel.Vec(nil), z.RawVector().Data...)
	if !m.FreeCovariance {
		return out
	}
	full := mat.NewSymDense(d, nil)
	at := d
	for i := range d {
		for j := range i {
			full.SetSym(i, j, g[at]/2)
			at++
		}
		full.SetSym(i, i, g[at])
		at++
	}
	var half, w mat.Dense
	half.Mul(full, &l)
	w.Mul(l.T(), &half)
	for i := range d {
		for j := range i {
			out = append(out, 2*w.At(i, j))
		}
		out = append(out, math.Sqrt2*w.At(i, i))
	}
	return out
}

// Draw is a point of the distribution.
func (n Normal) Draw(rng *rand.Rand) kernel.Vec {
	d := len(n.Mean)
	var chol mat.Cholesky
	chol.Factorize(n.Cov)
	var l mat.TriDense
	chol.LTo(&l)
	z := mat.NewVecDense(d, nil)
	for i := range d {
		z.SetVec(i, rng.NormFloat64())
	}
	var x mat.VecDense
	x.MulVec(&l, z)
	out := make(kernel.Vec, d)
	for i := range out {
		out[i] = n.Mean[i] + x.AtVec(i)
	}
	return out
}

// MixtureModel is a mixture of normal distributions as a model of vectors. Its parameters are the
// log-weights (w = softmax of them), the means, and, with FreeCovariance, the covariances as in
// NormalModel; with rᵢ the posterior probability of part i, the score is rᵢ - wᵢ, and rᵢ times the
// score of part i. The information matrix has no closed form: up to three dimensions it is
// integrated (Outcomes), above that FisherEmpirical and FisherSimulated estimate it.
type MixtureModel struct {
	Mixture
	FreeCovariance bool
}

// Validate asks the mixture.
func (m MixtureModel) Validate() error {
	if err := m.Mixture.Validate(); err != nil {
		return fmt.Errorf("kernel: mixture model: %w", err)
	}
	return nil
}

// CheckPoints refuses vectors of another dimension.
func (m MixtureModel) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkVectors("mixture model", len(m.Parts[0].Mean), x)
}

// Score is by the log-weights, then part after part.
func (m MixtureModel) Score(x kernel.Vec) kernel.Vec {
	r := m.Posterior(x)
	out := make(kernel.Vec, len(r))
	for i := range r {
		out[i] = r[i] - m.Weights[i]
	}
	for i, p := range m.Parts {
		for _, v := range (NormalModel{p, m.FreeCovariance}).Score(x) {
			out = append(out, r[i]*v)
		}
	}
	return out
}

// Posterior is the probability that x comes from each part.
func (m Mixture) Posterior(x kernel.Vec) []float64 {
	terms := m.logTerms(x)
	all := logSum(terms)
	for i, t := range terms {
		terms[i] = math.Exp(t - all)
	}
	return terms
}

// Draw is a point of the mixture.
func (m Mixture) Draw(rng *rand.Rand) kernel.Vec { return m.Parts[drawFrom(rng, m.Weights)].Draw(rng) }

// drawFrom is a random index with these probabilities.
func drawFrom(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for i, v := range p {
		if u -= v; u < 0 {
			return i
		}
	}
	return len(p) - 1
}
