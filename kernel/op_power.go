package kernel

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// PowerOf is k(x, y)^p for an integer p ≥ 1; Power makes one.
type PowerOf[T any] struct {
	Kernel   Kernel[T]
	Exponent int
}

// Power raises a kernel to an integer power.
func Power[T any](k Kernel[T], p int) Kernel[T] { return PowerOf[T]{k, p} }

// Eval returns k(x, y)^p.
func (k PowerOf[T]) Eval(x, y T) float64 { return intPower(k.Kernel.Eval(x, y), k.Exponent) }

// power is a PowerOf of kernels on erased points, by which everything but its values is known.
type power PowerOf[any]

func (k PowerOf[T]) open() operator { return power{Erase(k.Kernel), k.Exponent} }

func (PowerOf[T]) shut(o operator) Kernel[T] {
	own := o.(power)
	return PowerOf[T]{mustTyped[T](own.Kernel), own.Exponent}
}

func (k power) whole() Kernel[any] { return PowerOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k PowerOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k PowerOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k PowerOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k PowerOf[T]) CheckPoints(x data.Points[T]) error {
	return checkTyped(k.Kernel, x)
}

// Properties are derived from those of the parts.
func (k PowerOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the kernel.
func (k power) params() []Param { return Params(k.Kernel) }

// with sets the parameters of the kernel.
func (k power) with(theta []float64) operator {
	return power{withOne(k.Kernel, theta), k.Exponent}
}

// validate refuses p < 1.
func (k power) validate() error {
	if k.Exponent < 1 {
		return fault.Errorf("kernel", "power: exponent = %d, want an integer ≥ 1", k.Exponent)
	}
	return validate(k.Kernel)
}

// properties of a power: a product of equal factors.
func (k power) properties() Properties {
	factors := make([]Kernel[any], max(k.Exponent, 0))
	for i := range factors {
		factors[i] = k.Kernel
	}
	return product{factors}.properties()
}

func (k power) pairGrad(x, y any, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	chained(dtheta, float64(k.Exponent)*intPower(v, k.Exponent-1))
	return intPower(v, k.Exponent)
}

func (k power) parts() []Kernel[any]            { return []Kernel[any]{k.Kernel} }
func (k power) of(parts []Kernel[any]) operator { return power{parts[0], k.Exponent} }
func (power) pointwise() bool                   { return true }

func (k power) lower(b *builder, p pair[any]) node {
	return powerNode{lower(b, k.Kernel, p), k.Exponent}
}

func (k power) lowerGrad(b *builder, p pair[any]) gradNode {
	in := lowerGrad(b, k.Kernel, p)
	return powerGrad{valued{powerNode{in.values(), k.Exponent}}, in, k.Exponent}
}

func (k power) inputGrad(dst Vec, scale float64, x, y any) error {
	return addInputGrad(k.Kernel, dst, scale*float64(k.Exponent)*intPower(k.Kernel.Eval(x, y), k.Exponent-1), x, y)
}

// spectral adds p independent frequencies of the kernel.
func (k power) spectral(parts []Spectral) Spectral {
	return compound{intPower(parts[0].Mass(), k.Exponent), parts,
		func(counts []int, _ *rand.Rand) { counts[0] = k.Exponent }}
}

func (k power) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return PowerOf[data.SparseVec]{parts[0], k.Exponent}
}

type powerNode struct {
	in node
	p  int
}

func (n powerNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	n.in.tile64(dst, w)
	eachRow(dst, func(_ int, row []float64) { simd.PowInt64(row, row, n.p) })
}
func (n powerNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	n.in.tile32(dst, w)
	eachRow(dst, func(_ int, row []float32) { simd.PowInt32(row, row, n.p) })
}
func (n powerNode) cut(c *cutter) node { return powerNode{n.in.cut(c), n.p} }

type powerGrad struct {
	valued
	in gradNode
	p  int
}

func (n powerGrad) storable() bool { return n.in.storable() }

func (n powerGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	g.chain(n.in, n.in.values(), adj, func(v float64) float64 { return float64(n.p) * intPower(v, n.p-1) })
}
