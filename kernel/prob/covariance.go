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

// FactorLatent is the kernel of a continuous common cause in a linear model (factor analysis),
//
//	k(x, y) = ∫ N(x; Wz+μ, Ψ) N(y; Wz+μ, Ψ) N(z; 0, I) dz,
//
// W = Loadings, μ = Mean, Ψ = diag(Noise). Rotated by 45°, (x+y)/√2 and (x-y)/√2 are independent
// under the joint density, N(√2μ, Ψ + 2WWᵀ) and N(0, Ψ).
type FactorLatent struct {
	Loadings *mat.Dense // a row for each coordinate, a column for each factor
	Mean     kernel.Vec
	Noise    kernel.Vec // variances, > 0
}

// Name is "factorlatent".
func (FactorLatent) Name() string { return "factorlatent" }

// Eval returns the joint density of x and y.
func (k FactorLatent) Eval(x, y kernel.Vec) float64 { return math.Exp(k.LogJoint(x, y)) }

// LogJoint is ln k(x, y), what Covariance asks for.
func (k FactorLatent) LogJoint(x, y kernel.Vec) float64 {
	j := k.joint()
	return j.log(j.rotate(x), j.rotate(y))
}

// joint is the two densities: their Cholesky factors, and ln of what stands before the
// exponentials.
type joint struct {
	mean      kernel.Vec
	sum, diff mat.TriDense
	constant  float64
}

// rotated is a point less the mean, in the coordinates in which either density is a standard normal
// one.
type rotated struct{ sum, diff kernel.Vec }

func (k FactorLatent) joint() joint {
	d := len(k.Mean)
	j := joint{mean: k.Mean, constant: -float64(d) * math.Log(2*math.Pi)}
	for _, part := range []struct {
		of     *mat.TriDense
		factor float64
	}{{&j.sum, 2}, {&j.diff, 0}} {
		var c mat.Cholesky
		if !c.Factorize(k.covariance(part.factor)) {
			j.constant = math.NaN()
		}
		c.LTo(part.of)
		j.constant -= c.LogDet() / 2
	}
	return j
}

// covariance is Ψ + f·WWᵀ.
func (k FactorLatent) covariance(f float64) *mat.SymDense {
	c := mat.NewSymDense(len(k.Mean), nil)
	for i := range k.Mean {
		for j := range i + 1 {
			c.SetSym(i, j, f*mat.Dot(k.Loadings.RowView(i), k.Loadings.RowView(j)))
		}
		c.SetSym(i, i, c.At(i, i)+k.Noise[i])
	}
	return c
}

func (j joint) rotate(x kernel.Vec) rotated {
	d := mat.NewVecDense(len(x), nil)
	for i := range x {
		d.SetVec(i, x[i]-j.mean[i])
	}
	var out rotated
	for _, part := range []struct {
		by *mat.TriDense
		to *kernel.Vec
	}{{&j.sum, &out.sum}, {&j.diff, &out.diff}} {
		var z mat.VecDense
		if err := z.SolveVec(part.by, d); err != nil {
			if _, badly := err.(mat.Condition); !badly {
				z = *mat.NewVecDense(len(x), nil)
			}
		}
		*part.to = z.RawVector().Data
	}
	return out
}

// log is -¼‖u(x)+u(y)‖² - ¼‖v(x)-v(y)‖² and the constant: (x ± y)/√2 are the two normal points.
func (j joint) log(x, y rotated) float64 {
	s := 0.0
	for i := range x.sum {
		a, b := x.sum[i]+y.sum[i], x.diff[i]-y.diff[i]
		s += a*a + b*b
	}
	return j.constant - s/4
}

// PreparePoints rotates each point once.
func (k FactorLatent) PreparePoints(ctx context.Context, x, y data.Points[kernel.Vec]) kernel.Rectangle {
	j := k.joint()
	return kernel.PreparePairs(ctx, x, y, j.rotate, func(x, y rotated) float64 { return math.Exp(j.log(x, y)) })
}

// Validate refuses parts that do not fit, and noise that is not > 0.
func (k FactorLatent) Validate() error {
	if k.Loadings == nil {
		return fmt.Errorf("kernel: factorlatent: no loadings")
	}
	r, _ := k.Loadings.Dims()
	if r != len(k.Mean) || r != len(k.Noise) {
		return fmt.Errorf("kernel: factorlatent: loadings of %d coordinates, a mean of %d, noise of %d", r, len(k.Mean),
			len(k.Noise))
	}
	for i, v := range k.Noise {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("kernel: factorlatent: noise[%d] = %g, want a finite number > 0", i, v)
		}
	}
	if reason := (Normal{k.Mean, k.covariance(2)}).fault(r); reason != "" {
		return fmt.Errorf("kernel: factorlatent: %s", reason)
	}
	return nil
}

// CheckPoints refuses vectors of another dimension.
func (k FactorLatent) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkVectors("factorlatent", len(k.Mean), x)
}

// Properties of the kernel.
func (FactorLatent) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	p.Continuous = kernel.Yes
	return p
}

// Covariance is Seeger's covariance kernel of a Bayesian model, which compares what two points say
// about its parameters,
//
//	k(x, y) = exp(I(x, y) - (I(x, x) + I(y, y))/2),   I(x, y) = ln Q(x, y)/(Q(x)Q(y)),
//	Q(x, y) = ∫ p(x | θ) p(y | θ) p(θ) dθ,
//
// that is Q(x, y)/√(Q(x, x)Q(y, y)): the mutual information under the distribution of θ, made a
// kernel (Seeger, Covariance kernels from Bayesian generative models, NIPS 2001). LogJoint is ln
// Q(x, y); FactorLatent and DirichletMultinomial have it in closed form, the former for a normal
// distribution whose mean μ + Wz is what is not known.
type Covariance[T any] struct {
	LogJoint func(x, y T) float64
}

// Name is "seegercovariance".
func (Covariance[T]) Name() string { return "seegercovariance" }

// selfInformed is a point with ln Q(x, x).
type selfInformed[T any] struct {
	point T
	self  float64
}

func (k Covariance[T]) inform(x T) selfInformed[T] { return selfInformed[T]{x, k.LogJoint(x, x)} }

func (k Covariance[T]) between(x, y selfInformed[T]) float64 {
	return math.Exp(k.LogJoint(x.point, y.point) - (x.self+y.self)/2)
}

// Eval returns Q(x, y)/√(Q(x, x)Q(y, y)).
func (k Covariance[T]) Eval(x, y T) float64 { return k.between(k.inform(x), k.inform(y)) }

// PreparePoints takes each Q(x, x) once.
func (k Covariance[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.inform, k.between)
}

// Validate refuses no joint density.
func (k Covariance[T]) Validate() error {
	if k.LogJoint == nil {
		return fmt.Errorf("kernel: seegercovariance: no joint density")
	}
	return nil
}

// CheckPoints refuses points of joint density 0 or none with themselves.
func (k Covariance[T]) CheckPoints(x data.Points[T]) error {
	for i := range x.Len() {
		if v := k.LogJoint(x.At(i), x.At(i)); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("kernel: seegercovariance: row %d has ln Q(x, x) = %g", i, v)
		}
	}
	return nil
}

// Properties of the covariance kernel: a normalised kernel.
func (Covariance[T]) Properties() kernel.Properties { return field.Discrete(1 + 1e-9) }
