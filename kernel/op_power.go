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

// Params are those of the kernel.
func (k PowerOf[T]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k PowerOf[T]) With(theta []float64) Kernel[T] {
	return PowerOf[T]{withOne(k.Kernel, theta), k.Exponent}
}

// Validate refuses p < 1.
func (k PowerOf[T]) Validate() error {
	if k.Exponent < 1 {
		return fault.Errorf("kernel", "power: exponent = %d, want an integer ≥ 1", k.Exponent)
	}
	return validate(k.Kernel)
}

// CheckPoints asks the kernel.
func (k PowerOf[T]) CheckPoints(x data.Points[T]) error { return checkPoints(k.Kernel, x) }

// Properties of a power: a product of equal factors.
func (k PowerOf[T]) Properties() Properties {
	factors := make([]Kernel[T], max(k.Exponent, 0))
	for i := range factors {
		factors[i] = k.Kernel
	}
	return ProductOf[T]{factors}.Properties()
}

func (k PowerOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	chained(dtheta, float64(k.Exponent)*intPower(v, k.Exponent-1))
	return intPower(v, k.Exponent)
}

func (k PowerOf[T]) parts() []Kernel[T]             { return []Kernel[T]{k.Kernel} }
func (k PowerOf[T]) of(parts []Kernel[T]) Kernel[T] { return PowerOf[T]{parts[0], k.Exponent} }
func (PowerOf[T]) pointwise() bool                  { return true }

func (k PowerOf[T]) lower(b *builder, p pair[T]) node {
	return powerNode{lower(b, k.Kernel, p), k.Exponent}
}

func (k PowerOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	in := lowerGrad(b, k.Kernel, p)
	return powerGrad{valued{powerNode{in.values(), k.Exponent}}, in, k.Exponent}
}

func (k PowerOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
	return addInputGrad(k.Kernel, dst, scale*float64(k.Exponent)*intPower(k.Kernel.Eval(x, y), k.Exponent-1), x, y)
}

// spectral adds p independent frequencies of the kernel.
func (k PowerOf[T]) spectral(parts []Spectral) Spectral {
	return compound{intPower(parts[0].Mass(), k.Exponent), parts, func(counts []int, _ *rand.Rand) { counts[0] = k.Exponent }}
}

func (k PowerOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparsePower(parts[0], k.Exponent)
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
