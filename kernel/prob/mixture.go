package prob

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// Mixture is Σᵢ wᵢ·N(μᵢ, Σᵢ), a mixture of normal distributions.
type Mixture struct {
	Weights []float64 // at least 0, of sum 1
	Parts   []Normal
}

// Validate says why m is no mixture, nil where it is one.
func (m Mixture) Validate() error {
	if len(m.Parts) == 0 || len(m.Weights) != len(m.Parts) {
		return fmt.Errorf("%d weights for %d parts; a mixture has at least one", len(m.Weights), len(m.Parts))
	}
	if err := distribution(m.Weights); err != nil {
		return fmt.Errorf("the weights%w", err)
	}
	for i, p := range m.Parts {
		if reason := p.fault(len(m.Parts[0].Mean)); reason != "" {
			return fmt.Errorf("part %d: %s", i, reason)
		}
	}
	return nil
}

// LogDensity is ln Σᵢ wᵢ·N(x; μᵢ, Σᵢ).
func (m Mixture) LogDensity(x []float64) float64 {
	terms := m.logTerms(x)
	return logSum(terms)
}

// logTerms is ln wᵢ + ln N(x; μᵢ, Σᵢ).
func (m Mixture) logTerms(x []float64) []float64 {
	out := make([]float64, len(m.Parts))
	for i, p := range m.Parts {
		out[i] = math.Log(m.Weights[i]) + p.LogDensity(x)
	}
	return out
}

// logSum is ln Σ eᵗ without overflow.
func logSum(terms []float64) float64 {
	top := math.Inf(-1)
	for _, t := range terms {
		top = max(top, t)
	}
	if math.IsInf(top, -1) {
		return top
	}
	s := 0.0
	for _, t := range terms {
		s += math.Exp(t - top)
	}
	return top + math.Log(s)
}

// MixtureProduct is the probability product kernel on mixtures of normal distributions, which at ρ
// = 1 is the expected likelihood,
//
//	k(p, q) = ∫ p(x)q(x) dx = Σᵢ Σⱼ vᵢwⱼ·N(μᵢ; νⱼ, Σᵢ + Tⱼ),
//
// ρ = Rho (1 when zero) (Jebara, Kondor & Howard 2004). Other ρ have a closed form where both are
// of one part, NormalProduct's, and none otherwise: mixtures of more parts are refused.
type MixtureProduct struct {
	Rho float64
}

// Name is "mixtureproduct".
func (MixtureProduct) Name() string { return "mixtureproduct" }

type measuredMixture struct {
	weights []float64
	parts   []measured
}

func measureMixture(m Mixture) measuredMixture {
	out := measuredMixture{weights: m.Weights}
	for _, p := range m.Parts {
		out.parts = append(out.parts, measure(p))
	}
	return out
}

func (k MixtureProduct) between(p, q measuredMixture) float64 {
	rho := field.Or(k.Rho, 1)
	s := 0.0
	for i, a := range p.parts {
		for j, b := range q.parts {
			s += p.weights[i] * q.weights[j] * math.Exp(logProduct(rho, a, b))
		}
	}
	return s
}

// Eval returns ∫ p^ρ q^ρ.
func (k MixtureProduct) Eval(x, y Mixture) float64 {
	return k.between(measureMixture(x), measureMixture(y))
}

// PreparePoints takes each determinant once.
func (k MixtureProduct) PreparePoints(ctx context.Context, x, y data.Points[Mixture]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, measureMixture, k.between)
}

// Params is ρ.
func (k MixtureProduct) Params() []kernel.Param {
	return []kernel.Param{field.Positive("mixtureproduct.rho", field.Or(k.Rho, 1))}
}

// With sets ρ.
func (MixtureProduct) With(theta []float64) kernel.Kernel[Mixture] { return MixtureProduct{theta[0]} }

// Validate refuses ρ < 0.
func (k MixtureProduct) Validate() error {
	return field.MustBePositive("mixtureproduct", "rho", k.Rho)
}

// CheckPoints refuses what is no mixture, mixtures of different dimensions and, where ρ is not 1,
// those of more than one part.
func (k MixtureProduct) CheckPoints(x data.Points[Mixture]) error {
	rho := field.Or(k.Rho, 1)
	for i := range x.Len() {
		m := x.At(i)
		if err := m.Validate(); err != nil {
			return fmt.Errorf("kernel: mixtureproduct: row %d: %w", i, err)
		}
		if d, first := len(m.Parts[0].Mean), len(x.At(0).Parts[0].Mean); d != first {
			return fmt.Errorf("kernel: mixtureproduct: row %d has %d dimensions, row 0 has %d", i, d, first)
		}
		if rho != 1 && len(m.Parts) > 1 {
			return fmt.Errorf("kernel: mixtureproduct: row %d is a mixture of %d parts, whose product of ρ = %g has no closed "+
				"form; take rho=1", i, len(m.Parts), rho)
		}
	}
	return nil
}

// Properties of the product: an inner product in L².
func (k MixtureProduct) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	p.Continuous = kernel.Yes
	if k.Rho == 0.5 {
		p.Bound = 1 + 1e-9 // of distributions of one part: rounding of the determinants
	}
	return p
}
