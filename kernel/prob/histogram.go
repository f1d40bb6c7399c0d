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

// Product is the probability product kernel on histograms,
//
//	k(p, q) = Σᵢ pᵢ^ρ qᵢ^ρ,
//
// ρ = Rho (½ when zero: Bhattacharyya's kernel; 1 is the expected likelihood) (Jebara, Kondor &
// Howard 2004).
type Product struct {
	Rho float64
}

// Name is "probproduct".
func (Product) Name() string { return "probproduct" }

func (k Product) root(p kernel.Vec) kernel.Vec {
	rho := field.Or(k.Rho, 0.5)
	out := make(kernel.Vec, len(p))
	for i, v := range p {
		out[i] = math.Pow(v, rho)
	}
	return out
}

// Eval returns Σ (pᵢqᵢ)^ρ.
func (k Product) Eval(x, y kernel.Vec) float64 { return kernel.Inner.Between(k.root(x), k.root(y)) }

// PreparePoints raises each histogram to the power once.
func (k Product) PreparePoints(ctx context.Context, x, y data.Points[kernel.Vec]) kernel.Rectangle {
	return features.Prepare(ctx, x, y, k.root)
}

// Params is ρ.
func (k Product) Params() []kernel.Param {
	return []kernel.Param{field.Positive("probproduct.rho", field.Or(k.Rho, 0.5))}
}

// With sets ρ.
func (Product) With(theta []float64) kernel.Kernel[kernel.Vec] { return Product{theta[0]} }

// Validate refuses ρ < 0.
func (k Product) Validate() error { return field.MustBePositive("probproduct", "rho", k.Rho) }

// CheckPoints refuses what is no distribution.
func (Product) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkHistograms("probproduct", x)
}

// Properties of the product: a finite number of features. k(p, p) = Σ p^{2ρ} is at most 1 where 2ρ
// ≥ 1.
func (k Product) Properties() kernel.Properties {
	p := field.Discrete(1)
	p.Strict, p.Continuous, p.Universal, p.Characteristic = kernel.No, kernel.Yes, kernel.No, kernel.No
	if field.Or(k.Rho, 0.5) < 0.5 {
		p.Bound = math.NaN()
	}
	return p
}

// checkHistograms refuses negative entries and those that do not sum to 1, which may be off by what
// single precision loses, and histograms of other numbers of bins than the first.
func checkHistograms(name string, x data.Points[kernel.Vec]) error {
	for i := range x.Len() {
		if n, first := len(x.At(i)), len(x.At(0)); n != first {
			return fmt.Errorf("kernel: %s: row %d has %d bins, row 0 has %d", name, i, n, first)
		}
		if err := distribution(x.At(i)); err != nil {
			return fmt.Errorf("kernel: %s: row %d%w", name, i, err)
		}
	}
	return nil
}

// distribution says why p is none; the text goes on after the name of what p is.
func distribution(p []float64) error {
	sum := 0.0
	for j, v := range p {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf(", column %d is %g; a probability is a number in [0, 1]", j, v)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf(": probabilities sum to %g, want 1 (divide by their sum)", sum)
	}
	return nil
}
