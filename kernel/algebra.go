package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// SumOf is Σ kₘ(x, y); Sum makes one.
type SumOf[T any] struct {
	Terms []Kernel[T]
}

// Sum adds kernels. Sums inside are flattened.
func Sum[T any](ks ...Kernel[T]) Kernel[T] {
	var terms []Kernel[T]
	for _, k := range ks {
		if s, ok := k.(SumOf[T]); ok {
			terms = append(terms, s.Terms...)
		} else {
			terms = append(terms, k)
		}
	}
	return SumOf[T]{terms}
}

// Cone is Σ αₘkₘ with weights αₘ ≥ 0, one for each kernel.
func Cone[T any](weights []float64, ks ...Kernel[T]) Kernel[T] {
	if len(weights) != len(ks) {
		panic(fmt.Sprintf("kernel: cone: %d weights for %d kernels", len(weights), len(ks)))
	}
	terms := make([]Kernel[T], len(ks))
	for i, k := range ks {
		terms[i] = Scale(weights[i], k)
	}
	return SumOf[T]{terms}
}

// Eval returns Σ kₘ(x, y).
func (k SumOf[T]) Eval(x, y T) float64 {
	s := 0.0
	for _, t := range k.Terms {
		s += t.Eval(x, y)
	}
	return s
}

// Params are those of the terms.
func (k SumOf[T]) Params() []Param { return paramsOf(k.Terms) }

// With hands the values to the terms.
func (k SumOf[T]) With(theta []float64) Kernel[T] { return SumOf[T]{withAll(k.Terms, theta)} }

// Validate asks the terms.
func (k SumOf[T]) Validate() error { return validateAll("sum", k.Terms) }

// CheckPoints asks the terms.
func (k SumOf[T]) CheckPoints(x data.Points[T]) error { return checkAll(k.Terms, x) }

// ProductOf is Π kₘ(x, y); Product makes one.
type ProductOf[T any] struct {
	Factors []Kernel[T]
}

// Product multiplies kernels. Products inside are flattened.
func Product[T any](ks ...Kernel[T]) Kernel[T] {
	var factors []Kernel[T]
	for _, k := range ks {
		if p, ok := k.(ProductOf[T]); ok {
			factors = append(factors, p.Factors...)
		} else {
			factors = append(factors, k)
		}
	}
	return ProductOf[T]{factors}
}

// Eval returns Π kₘ(x, y).
func (k ProductOf[T]) Eval(x, y T) float64 {
	p := 1.0
	for _, f := range k.Factors {
		p *= f.Eval(x, y)
	}
	return p
}

// Params are those of the factors.
func (k ProductOf[T]) Params() []Param { return paramsOf(k.Factors) }

// With hands the values to the factors.
func (k ProductOf[T]) With(theta []float64) Kernel[T] { return ProductOf[T]{withAll(k.Factors, theta)} }

// Validate asks the factors.
func (k ProductOf[T]) Validate() error { return validateAll("product", k.Factors) }

// CheckPoints asks the factors.
func (k ProductOf[T]) CheckPoints(x data.Points[T]) error { return checkAll(k.Factors, x) }

// ConstantOf is k(x, y) = c ≥ 0; adding it is the rule k + c.
type ConstantOf[T any] struct {
	C float64
}

// Constant is the kernel c, c ≥ 0.
func Constant[T any](c float64) Kernel[T] { return ConstantOf[T]{c} }

// Name is "constant".
func (ConstantOf[T]) Name() string { return "constant" }

// Eval returns c.
func (k ConstantOf[T]) Eval(x, y T) float64 { return k.C }

// Params is c.
func (k ConstantOf[T]) Params() []Param { return []Param{nonNegative("constant.c", k.C)} }

// With sets c.
func (ConstantOf[T]) With(theta []float64) Kernel[T] { return ConstantOf[T]{theta[0]} }

// Validate refuses c < 0.
func (k ConstantOf[T]) Validate() error { return mustBeNonNegative("constant", "c", k.C) }

// ScaleOf is c·k(x, y), c ≥ 0; Scale makes one.
type ScaleOf[T any] struct {
	Factor float64
	Kernel Kernel[T]
}

// Scale multiplies a kernel by a number c ≥ 0.
func Scale[T any](c float64, k Kernel[T]) Kernel[T] { return ScaleOf[T]{c, k} }

// Eval returns c·k(x, y).
func (k ScaleOf[T]) Eval(x, y T) float64 { return k.Factor * k.Kernel.Eval(x, y) }

// Params are c and those of the kernel.
func (k ScaleOf[T]) Params() []Param {
	return distinct(append([]Param{nonNegativeLog("scale.factor", k.Factor)}, Params(k.Kernel)...))
}

// With sets c and the parameters of the kernel.
func (k ScaleOf[T]) With(theta []float64) Kernel[T] {
	return ScaleOf[T]{theta[0], withOne(k.Kernel, theta[1:])}
}

// Validate refuses c < 0.
func (k ScaleOf[T]) Validate() error {
	return firstError(mustBeNonNegative("scale", "factor", k.Factor), validate(k.Kernel))
}

// CheckPoints asks the kernel.
func (k ScaleOf[T]) CheckPoints(x data.Points[T]) error { return checkPoints(k.Kernel, x) }

// PowerOf is k(x, y)^p for an integer p ≥ 1; Power makes one.
type PowerOf[T any] struct {
	Kernel   Kernel[T]
	Exponent int
}

// Power raises a kernel to an integer power.
func Power[T any](k Kernel[T], p int) Kernel[T] { return PowerOf[T]{k, p} }

// Eval returns k(x, y)^p.
func (k PowerOf[T]) Eval(x, y T) float64 { return intPower(k.Kernel.Eval(x, y), k.Exponent) }

// Params are those of the kernel.
func (k PowerOf[T]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k PowerOf[T]) With(theta []float64) Kernel[T] {
	return PowerOf[T]{withOne(k.Kernel, theta), k.Exponent}
}

// Validate refuses p < 1.
func (k PowerOf[T]) Validate() error {
	if k.Exponent < 1 {
		return fmt.Errorf("kernel: power: exponent = %d, want an integer ≥ 1", k.Exponent)
	}
	return validate(k.Kernel)
}

// CheckPoints asks the kernel.
func (k PowerOf[T]) CheckPoints(x data.Points[T]) error { return checkPoints(k.Kernel, x) }

// PowersOf is Σ aₙk(x, y)ⁿ with aₙ ≥ 0; Powers and Series make one.
type PowersOf[T any] struct {
	Kernel Kernel[T]
	Coef   []float64
	// Bound is the largest k(x, x) for which the values are meant, when the
	// polynomial is the beginning of a series; 0 means no bound.
	Bound float64
	// Error bounds what the dropped terms of that series can add.
	Error float64
}

// Powers applies a polynomial with coefficients aₙ ≥ 0 to a kernel.
func Powers[T any](k Kernel[T], coef ...float64) Kernel[T] {
	return PowersOf[T]{Kernel: k, Coef: append([]float64(nil), coef...)}
}

// Series applies the power series Σ coef(n) zⁿ, coef ≥ 0, that converges for |z| < radius, to
// a kernel with k(x, x) ≤ bound < radius. As many terms are kept as make the rest at most
// tolerance for all points within the bound; the estimate of the rest is the Error of the
// result, a PowersOf.
//
// The rest is bounded by a geometric series: q is the largest ratio of the last
// eight terms, and Σ_{n>N} aₙboundⁿ ≤ a_N bound^N q/(1-q). That is a proof where
// the ratios do not increase, as in the series of exp, 1/(1-z)^α and all others in
// this package.
func Series[T any](k Kernel[T], coef func(n int) float64, radius, bound, tolerance float64) (Kernel[T], error) {
	if !(radius > 0) {
		return nil, fmt.Errorf("kernel: series: radius = %g, want > 0", radius)
	}
	if !(bound > 0) || bound >= radius {
		return nil, fmt.Errorf("kernel: series: bound = %g on k(x, x), want in (0, %g), inside the radius of convergence", bound, radius)
	}
	if !(tolerance > 0) {
		return nil, fmt.Errorf("kernel: series: tolerance = %g, want > 0", tolerance)
	}
	const window, most = 8, 100000
	var kept []float64
	var terms []float64 // aₙboundⁿ of the terms that are not 0
	power := 1.0
	for n := 0; n < most; n++ {
		a := coef(n)
		if !(a >= 0) || math.IsInf(a, 0) {
			return nil, fmt.Errorf("kernel: series: coefficient %d is %g, want a finite number ≥ 0", n, a)
		}
		kept = append(kept, a)
		if t := a * power; t > 0 {
			terms = append(terms, t)
		}
		power *= bound
		if power == 0 || math.IsInf(power, 0) {
			if len(terms) == 0 || power == 0 {
				return PowersOf[T]{k, kept, bound, 0}, nil
			}
			return nil, fmt.Errorf("kernel: series: bound = %g: term %d overflows", bound, n+1)
		}
		if len(terms) <= window {
			continue
		}
		q := 0.0
		last := terms[len(terms)-window-1:]
		for i := 1; i < len(last); i++ {
			q = max(q, last[i]/last[i-1])
		}
		if q < 1 {
			if rest := last[window] * q / (1 - q); rest <= tolerance {
				return PowersOf[T]{k, kept, bound, rest}, nil
			}
		}
	}
	return nil, fmt.Errorf("kernel: series: %d terms do not reach tolerance %g at k(x, x) = %g; lower the bound or raise the tolerance", most, tolerance, bound)
}

// Eval returns Σ aₙk(x, y)ⁿ.
func (k PowersOf[T]) Eval(x, y T) float64 { return horner(k.Coef, k.Kernel.Eval(x, y)) }

// Params are the coefficients, unless they come from a series, and those of the kernel.
func (k PowersOf[T]) Params() []Param {
	var params []Param
	if k.Bound == 0 {
		for n, a := range k.Coef {
			params = append(params, nonNegative(fmt.Sprintf("polynomial.coef[%d]", n), a))
		}
	}
	return distinct(append(params, Params(k.Kernel)...))
}

// own is how many of the parameters are coefficients.
func (k PowersOf[T]) own() int {
	if k.Bound == 0 {
		return len(k.Coef)
	}
	return 0
}

// With sets the parameters in the order of Params.
func (k PowersOf[T]) With(theta []float64) Kernel[T] {
	n := k.own()
	if n > 0 {
		k.Coef = append([]float64(nil), theta[:n]...)
	}
	k.Kernel = withOne(k.Kernel, theta[n:])
	return k
}

// Validate refuses coefficients < 0.
func (k PowersOf[T]) Validate() error {
	if len(k.Coef) == 0 {
		return fmt.Errorf("kernel: polynomial: no coefficients")
	}
	for n, a := range k.Coef {
		if err := mustBeNonNegative("polynomial", fmt.Sprintf("coef[%d]", n), a); err != nil {
			return err
		}
	}
	return validate(k.Kernel)
}

// CheckPoints refuses points with k(x, x) above the bound of a series.
func (k PowersOf[T]) CheckPoints(x data.Points[T]) error {
	if k.Bound > 0 {
		for i := range x.Len() {
			p := x.At(i)
			if v := k.Kernel.Eval(p, p); !(v <= k.Bound) {
				return fmt.Errorf("kernel: series: row %d has k(x, x) = %g, above the bound %g for which the series was truncated", i, v, k.Bound)
			}
		}
	}
	return checkPoints(k.Kernel, x)
}

// ExpOf is exp(k(x, y)); Exp makes one.
type ExpOf[T any] struct {
	Kernel Kernel[T]
}

// Exp is the exponential of a kernel; exp(k/σ²) is Exp(Scale(1/σ², k)).
func Exp[T any](k Kernel[T]) Kernel[T] { return ExpOf[T]{k} }

// Eval returns exp(k(x, y)).
func (k ExpOf[T]) Eval(x, y T) float64 { return math.Exp(k.Kernel.Eval(x, y)) }

// Params are those of the kernel.
func (k ExpOf[T]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k ExpOf[T]) With(theta []float64) Kernel[T] { return ExpOf[T]{withOne(k.Kernel, theta)} }

// Validate asks the kernel.
func (k ExpOf[T]) Validate() error { return validate(k.Kernel) }

// CheckPoints asks the kernel.
func (k ExpOf[T]) CheckPoints(x data.Points[T]) error { return checkPoints(k.Kernel, x) }

func nonNegativeLog(name string, v float64) Param {
	p := nonNegative(name, v)
	p.Domain.LogScale = true
	return p
}

func paramsOf[T any](ks []Kernel[T]) []Param {
	var all []Param
	for _, k := range ks {
		all = append(all, Params(k)...)
	}
	return distinct(all)
}

// withOne hands theta to k, which keeps itself when it has no parameters.
func withOne[T any](k Kernel[T], theta []float64) Kernel[T] {
	if t, ok := any(k).(Tunable[T]); ok && len(theta) > 0 {
		return t.With(theta)
	}
	return k
}

func withAll[T any](ks []Kernel[T], theta []float64) []Kernel[T] {
	out := make([]Kernel[T], len(ks))
	for i, k := range ks {
		n := len(Params(k))
		out[i], theta = withOne(k, theta[:n]), theta[n:]
	}
	return out
}
