package prob

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"gonum.org/v1/gonum/mat"
)

// Normal is a normal distribution.
type Normal struct {
	Mean []float64
	Cov  *mat.SymDense
}

// fault says why n is no normal distribution of dim dimensions, "" where it is one.
func (n Normal) fault(dim int) string {
	if len(n.Mean) != dim {
		return fmt.Sprintf("the mean has %d coordinates, want %d", len(n.Mean), dim)
	}
	for j, v := range n.Mean {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("mean[%d] is %g", j, v)
		}
	}
	if n.Cov == nil || n.Cov.SymmetricDim() != dim {
		return fmt.Sprintf("the covariance is not %d×%d", dim, dim)
	}
	for i := range dim {
		for j := range i + 1 {
			if v := n.Cov.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Sprintf("covariance[%d, %d] is %g", i, j, v)
			}
		}
	}
	var c mat.Cholesky
	if dim > 0 && !c.Factorize(n.Cov) {
		var e mat.EigenSym
		if e.Factorize(n.Cov, false) {
			return fmt.Sprintf("the covariance is not positive definite: it has the eigenvalue %g (add a little to its diagonal)",
				e.Values(nil)[0])
		}
		return "the covariance is not positive definite"
	}
	return ""
}

// LogDensity is ln N(x; mean, cov).
func (n Normal) LogDensity(x []float64) float64 {
	d := mat.NewVecDense(len(x), nil)
	for i := range x {
		d.SetVec(i, x[i]-n.Mean[i])
	}
	logDet, form := solveForm(n.Cov, d)
	return -0.5 * (float64(len(x))*math.Log(2*math.Pi) + logDet + form)
}

// solveForm is ln|c| and dᵀc⁻¹d.
func solveForm(c mat.Symmetric, d *mat.VecDense) (logDet, form float64) {
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return math.NaN(), math.NaN()
	}
	var s mat.VecDense
	if err := chol.SolveVecTo(&s, d); err != nil {
		if _, singular := err.(mat.Condition); !singular {
			return math.NaN(), math.NaN()
		}
	}
	return chol.LogDet(), mat.Dot(d, &s)
}

// NormalProduct is the probability product kernel on normal distributions,
//
//	k(p, q) = ∫ p(x)^ρ q(x)^ρ dx
//	        = (2π)^{(1-2ρ)d/2} ρ^{-d/2} (|Σ||T|)^{(1-ρ)/2} |Σ+T|^{-1/2} exp(-ρ/2·(μ-ν)ᵀ(Σ+T)⁻¹(μ-ν)),
//
// p = N(μ, Σ), q = N(ν, T), ρ = Rho (½ when zero: Bhattacharyya's kernel, 1 on the diagonal; 1 is
// the expected likelihood) (Jebara, Kondor & Howard 2004).
type NormalProduct struct {
	Rho float64
}

// Name is "normalproduct".
func (NormalProduct) Name() string { return "normalproduct" }

// measured is a normal distribution with ln|Σ|.
type measured struct {
	Normal
	logDet float64
}

func measure(n Normal) measured {
	var c mat.Cholesky
	if len(n.Mean) == 0 {
		return measured{n, 0}
	}
	if !c.Factorize(n.Cov) {
		return measured{n, math.NaN()}
	}
	return measured{n, c.LogDet()}
}

// Eval returns ∫ p^ρ q^ρ.
func (k NormalProduct) Eval(x, y Normal) float64 { return k.between(measure(x), measure(y)) }

// PreparePoints takes each determinant once.
func (k NormalProduct) PreparePoints(ctx context.Context, x, y data.Points[Normal]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, measure, k.between)
}

func (k NormalProduct) between(p, q measured) float64 {
	return math.Exp(logProduct(field.Or(k.Rho, 0.5), p, q))
}

func logProduct(rho float64, p, q measured) float64 {
	d := len(p.Mean)
	if d == 0 {
		return 0
	}
	diff := mat.NewVecDense(d, nil)
	for i := range d {
		diff.SetVec(i, p.Mean[i]-q.Mean[i])
	}
	var sum mat.SymDense
	sum.AddSym(p.Cov, q.Cov)
	logDet, form := solveForm(&sum, diff)
	return 0.5 * ((1-2*rho)*float64(d)*math.Log(2*math.Pi) - float64(d)*math.Log(rho) + (1-rho)*(p.logDet+q.logDet) - logDet - rho*form)
}

// Params is ρ.
func (k NormalProduct) Params() []kernel.Param {
	return []kernel.Param{field.Positive("normalproduct.rho", field.Or(k.Rho, 0.5))}
}

// With sets ρ.
func (NormalProduct) With(theta []float64) kernel.Kernel[Normal] { return NormalProduct{theta[0]} }

// Validate refuses ρ < 0.
func (k NormalProduct) Validate() error { return field.MustBePositive("normalproduct", "rho", k.Rho) }

// CheckPoints refuses covariances that are not positive definite, and distributions of different
// dimensions.
func (NormalProduct) CheckPoints(x data.Points[Normal]) error {
	for i := range x.Len() {
		if reason := x.At(i).fault(len(x.At(0).Mean)); reason != "" {
			return fmt.Errorf("kernel: normalproduct: row %d: %s", i, reason)
		}
	}
	return nil
}

// Properties of the product: an inner product of p^ρ in L².
func (k NormalProduct) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	p.Continuous = kernel.Yes
	if field.Or(k.Rho, 0.5) == 0.5 {
		p.Bound = 1 + 1e-9 // rounding of the determinants
	}
	return p
}
