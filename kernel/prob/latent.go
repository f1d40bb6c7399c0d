package prob

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/features"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// Latent is the kernel of a common cause: two points are alike when the same causes are likely to
// bring both about,
//
//	k(x, y) = Σᵢ p(x | i) p(y | i) p(i),
//
// p(i) = Weights[i], p(x | i) = Density(i, x). With one cause it is p(x)p(y). (Mixture.Latent makes
// one of a mixture of normal distributions.)
type Latent[T any] struct {
	Weights []float64
	Density func(i int, x T) float64
}

// Latent is the kernel of the parts of m as causes.
func (m Mixture) Latent() Latent[kernel.Vec] {
	return Latent[kernel.Vec]{m.Weights, func(i int, x kernel.Vec) float64 { return math.Exp(m.Parts[i].LogDensity(x)) }}
}

// Name is "latent".
func (Latent[T]) Name() string { return "latent" }

// Features is √p(i)·p(x | i).
func (k Latent[T]) Features(x T) kernel.Vec {
	out := make(kernel.Vec, len(k.Weights))
	for i, w := range k.Weights {
		out[i] = math.Sqrt(w) * k.Density(i, x)
	}
	return out
}

// Eval returns Σ p(x | i)p(y | i)p(i).
func (k Latent[T]) Eval(x, y T) float64 { return kernel.Inner.Between(k.Features(x), k.Features(y)) }

// PreparePoints takes the densities of each point once.
func (k Latent[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	return features.Prepare(ctx, x, y, k.Features)
}

// Validate refuses weights that are no distribution.
func (k Latent[T]) Validate() error {
	if k.Density == nil {
		return fmt.Errorf("kernel: latent: no density")
	}
	if err := distribution(k.Weights); err != nil {
		return fmt.Errorf("kernel: latent: the weights%w", err)
	}
	return nil
}

// CheckPoints refuses points with densities that are no finite numbers ≥ 0.
func (k Latent[T]) CheckPoints(x data.Points[T]) error {
	for i := range x.Len() {
		for c := range k.Weights {
			if v := k.Density(c, x.At(i)); !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel: latent: row %d has density %g under cause %d", i, v, c)
			}
		}
	}
	return nil
}

// Properties of the kernel: a feature for each cause.
func (Latent[T]) Properties() kernel.Properties { return finite(math.Inf(1)) }

// Caused is a point with a hidden state.
type Caused[T any] struct {
	Point T
	State int
}

// Marginalized is a kernel on points with hidden states, in the mean over the states,
//
//	k(x, y) = Σₛ Σᵣ p(s | x) p(r | y) κ((x, s), (y, r)),
//
// p(· | x) = Posterior(x), κ = Kernel (Tsuda, Kin & Asai 2002).
type Marginalized[T any] struct {
	Posterior func(x T) []float64
	Kernel    kernel.Kernel[Caused[T]]
}

// Name is "marginalized".
func (Marginalized[T]) Name() string { return "marginalized" }

// explained is a point with its posterior.
type explained[T any] struct {
	point     T
	posterior []float64
}

func (k Marginalized[T]) explain(x T) explained[T] { return explained[T]{x, k.Posterior(x)} }

func (k Marginalized[T]) between(x, y explained[T]) float64 {
	sum := 0.0
	for s, p := range x.posterior {
		for r, q := range y.posterior {
			if p*q > 0 {
				sum += p * q * k.Kernel.Eval(Caused[T]{x.point, s}, Caused[T]{y.point, r})
			}
		}
	}
	return sum
}

// Eval returns the mean of κ.
func (k Marginalized[T]) Eval(x, y T) float64 { return k.between(k.explain(x), k.explain(y)) }

// PreparePoints takes each posterior once.
func (k Marginalized[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.explain, k.between)
}

// Params are those of κ.
func (k Marginalized[T]) Params() []kernel.Param { return kernel.Params(k.Kernel) }

// With sets the parameters of κ.
func (k Marginalized[T]) With(theta []float64) kernel.Kernel[T] {
	if t, ok := k.Kernel.(kernel.Tunable[Caused[T]]); ok {
		k.Kernel = t.With(theta)
	}
	return k
}

// Validate asks κ.
func (k Marginalized[T]) Validate() error {
	if k.Posterior == nil || k.Kernel == nil {
		return fmt.Errorf("kernel: marginalized: no posterior or no kernel")
	}
	return kernel.Validate(k.Kernel)
}

// CheckPoints refuses posteriors that are no distributions.
func (k Marginalized[T]) CheckPoints(x data.Points[T]) error {
	for i := range x.Len() {
		if err := distribution(k.Posterior(x.At(i))); err != nil {
			return fmt.Errorf("kernel: marginalized: the posterior of row %d%w", i, err)
		}
	}
	return nil
}

// Properties follow from κ, whose bound holds for the mean too.
func (k Marginalized[T]) Properties() kernel.Properties {
	inner := kernel.PropertiesOf(k.Kernel)
	p := field.Discrete(inner.Bound * (1 + 1e-5))
	if inner.PSD != kernel.Yes {
		p.PSD = kernel.Unknown
	}
	return p
}
