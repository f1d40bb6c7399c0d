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

// MixtureProduct is the expected likelihood kernel on mixtures of normal distributions, the
// probability product of ρ = 1,
//
//	k(p, q) = ∫ p(x)q(x) dx = Σᵢ Σⱼ vᵢwⱼ·N(μᵢ; νⱼ, Σᵢ + Tⱼ)
//
// (Jebara, Kondor & Howard 2004). Other ρ have no closed form.
type MixtureProduct struct{}

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

func mixtureProduct(p, q measuredMixture) float64 {
	s := 0.0
	for i, a := range p.parts {
		for j, b := range q.parts {
			s += p.weights[i] * q.weights[j] * math.Exp(logProduct(1, a, b))
		}
	}
	return s
}

// Eval returns ∫ pq.
func (MixtureProduct) Eval(x, y Mixture) float64 {
	return mixtureProduct(measureMixture(x), measureMixture(y))
}

// PreparePoints takes each determinant once.
func (MixtureProduct) PreparePoints(ctx context.Context, x, y data.Points[Mixture]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, measureMixture, mixtureProduct)
}

// CheckPoints refuses what is no mixture, and mixtures of different dimensions.
func (MixtureProduct) CheckPoints(x data.Points[Mixture]) error {
	for i := range x.Len() {
		if err := x.At(i).Validate(); err != nil {
			return fmt.Errorf("kernel: mixtureproduct: row %d: %w", i, err)
		}
		if d, first := len(x.At(i).Parts[0].Mean), len(x.At(0).Parts[0].Mean); d != first {
			return fmt.Errorf("kernel: mixtureproduct: row %d has %d dimensions, row 0 has %d", i, d, first)
		}
	}
	return nil
}

// Properties of the product: an inner product in L².
func (MixtureProduct) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	p.Continuous = kernel.Yes
	return p
}
