package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// MultiplyOf is f(x)k(x, y)f(y); Multiply makes one.
type MultiplyOf[T any] struct {
	F      func(x T) float64
	Kernel Kernel[T]
}

// Multiply is f(x)k(x, y)f(y) for any function f; f is called once for each point.
func Multiply[T any](f func(x T) float64, k Kernel[T]) Kernel[T] { return MultiplyOf[T]{f, k} }

// RankOne is f(x)f(y) for any function f.
func RankOne[T any](f func(x T) float64) Kernel[T] { return MultiplyOf[T]{f, ConstantOf[T]{1}} }

// Eval returns f(x)k(x, y)f(y).
func (k MultiplyOf[T]) Eval(x, y T) float64 { return k.F(x) * k.Kernel.Eval(x, y) * k.F(y) }

// Params are those of the kernel; the constant of RankOne is none.
func (k MultiplyOf[T]) Params() []Param {
	if _, ok := k.Kernel.(ConstantOf[T]); ok {
		return nil
	}
	return Params(k.Kernel)
}

// With sets the parameters of the kernel.
func (k MultiplyOf[T]) With(theta []float64) Kernel[T] {
	return MultiplyOf[T]{k.F, withOne(k.Kernel, theta)}
}

// Validate asks the kernel.
func (k MultiplyOf[T]) Validate() error { return validate(k.Kernel) }

// CheckPoints refuses points where f is not finite.
func (k MultiplyOf[T]) CheckPoints(x data.Points[T]) error {
	for i := range x.Len() {
		if v := k.F(x.At(i)); math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("kernel", "multiply: f(x) = %g at row %d", v, i)
		}
	}
	return checkPoints(k.Kernel, x)
}

// NormalizeOf is k(x, y)/√(k(x, x)k(y, y)); Normalize makes one.
type NormalizeOf[T any] struct {
	Kernel Kernel[T]
}

// Normalize makes k(x, x) = 1. Points with k(x, x) = 0 get the value 0 with all points.
func Normalize[T any](k Kernel[T]) Kernel[T] { return NormalizeOf[T]{k} }

// inverseRoot is 1/√v, and 0 at 0.
func inverseRoot(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 1 / math.Sqrt(v)
}

// Eval returns k(x, y)/√(k(x, x)k(y, y)).
func (k NormalizeOf[T]) Eval(x, y T) float64 {
	return k.Kernel.Eval(x, y) * inverseRoot(k.Kernel.Eval(x, x)) * inverseRoot(k.Kernel.Eval(y, y))
}

// Params are those of the kernel.
func (k NormalizeOf[T]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k NormalizeOf[T]) With(theta []float64) Kernel[T] {
	return NormalizeOf[T]{withOne(k.Kernel, theta)}
}

// Validate asks the kernel.
func (k NormalizeOf[T]) Validate() error { return validate(k.Kernel) }

// CheckPoints refuses points with k(x, x) < 0, which no kernel has.
func (k NormalizeOf[T]) CheckPoints(x data.Points[T]) error {
	if err := checkPoints(k.Kernel, x); err != nil {
		return err
	}
	for i := range x.Len() {
		p := x.At(i)
		if v := k.Kernel.Eval(p, p); !(v >= 0) {
			return fault.Errorf("kernel", "normalize: row %d has k(x, x) = %g, so there is nothing to divide by", i, v)
		}
	}
	return nil
}

// SubstituteOf is κ(k(x, x) - 2k(x, y) + k(y, y)), κ the profile of Outer; Substitute makes one.
type SubstituteOf[T any] struct {
	Outer  Profiled // a function of the squared distance
	Kernel Kernel[T]
}

// Substitute puts the squared distance in the feature space of k,
// k(x, x) - 2k(x, y) + k(y, y), in place of ‖x-y‖² in outer: with Gaussian it is
// exp(-(k(x, x) - 2k(x, y) + k(y, y))/(2ℓ²)). Outer has to be a function of the
// squared distance that is positive definite in every dimension, as Gaussian,
// Laplace, Matérn and rational quadratic are.
func Substitute[T any](outer Profiled, k Kernel[T]) Kernel[T] { return SubstituteOf[T]{outer, k} }

// Eval returns κ of the distance in feature space.
func (k SubstituteOf[T]) Eval(x, y T) float64 {
	m := [1]float64{max(k.Kernel.Eval(x, x)-2*k.Kernel.Eval(x, y)+k.Kernel.Eval(y, y), 0)}
	k.Outer.Profile(m[:])
	return m[0]
}

// Params are those of the outer kernel, then those of the inner.
func (k SubstituteOf[T]) Params() []Param {
	return distinct(append(append([]Param(nil), Params[Vec](k.Outer)...), Params(k.Kernel)...))
}

// With sets the parameters in the order of Params.
func (k SubstituteOf[T]) With(theta []float64) Kernel[T] {
	n := len(Params[Vec](k.Outer))
	return SubstituteOf[T]{withOne[Vec](k.Outer, theta[:n]).(Profiled), withOne(k.Kernel, theta[n:])}
}

// Validate refuses an outer kernel that is no function of the squared distance.
func (k SubstituteOf[T]) Validate() error {
	if m := k.Outer.Metric(); m != SqDist {
		return fault.Errorf("kernel", "substitute: the outer kernel is a function of the %v, want one of the squared distance", m)
	}
	return firstError(validate[Vec](k.Outer), validate(k.Kernel))
}

// CheckPoints asks the inner kernel.
func (k SubstituteOf[T]) CheckPoints(x data.Points[T]) error { return checkPoints(k.Kernel, x) }

// PullbackOf is k(φ(x), φ(y)); Pullback makes one.
type PullbackOf[T, U any] struct {
	Kernel Kernel[U]
	Map    func(x T) U
}

// Pullback is k(φ(x), φ(y)) for a map φ from objects of type T to points of k.
// In a Gram matrix each object is mapped once.
func Pullback[T, U any](k Kernel[U], phi func(x T) U) Kernel[T] { return PullbackOf[T, U]{k, phi} }

// Eval returns k(φ(x), φ(y)).
func (k PullbackOf[T, U]) Eval(x, y T) float64 { return k.Kernel.Eval(k.Map(x), k.Map(y)) }

// Params are those of the kernel.
func (k PullbackOf[T, U]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k PullbackOf[T, U]) With(theta []float64) Kernel[T] {
	return PullbackOf[T, U]{withOne(k.Kernel, theta), k.Map}
}

// Validate asks the kernel.
func (k PullbackOf[T, U]) Validate() error { return validate(k.Kernel) }

// CheckPoints asks the kernel about the mapped points.
func (k PullbackOf[T, U]) CheckPoints(x data.Points[T]) error {
	return checkPoints(k.Kernel, mapPoints(k.Map, x))
}

// Pair is a point of a product space.
type Pair[A, B any] struct {
	First  A
	Second B
}

// DirectSum is k₁(x₁, y₁) + k₂(x₂, y₂) on pairs.
func DirectSum[A, B any](k1 Kernel[A], k2 Kernel[B]) Kernel[Pair[A, B]] {
	return Sum(Pullback(k1, first[A, B]), Pullback(k2, second[A, B]))
}

// Tensor is k₁(x₁, y₁)·k₂(x₂, y₂) on pairs.
func Tensor[A, B any](k1 Kernel[A], k2 Kernel[B]) Kernel[Pair[A, B]] {
	return Product(Pullback(k1, first[A, B]), Pullback(k2, second[A, B]))
}

func first[A, B any](p Pair[A, B]) A  { return p.First }
func second[A, B any](p Pair[A, B]) B { return p.Second }
