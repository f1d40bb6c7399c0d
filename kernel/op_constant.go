package kernel

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

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

// constant is a ConstantOf of kernels on erased points, by which everything but its values is
// known.
type constant ConstantOf[any]

func (k ConstantOf[T]) open() operator { return constant(k) }

func (ConstantOf[T]) shut(o operator) Kernel[T] {
	return ConstantOf[T]{o.(constant).C}
}

func (k constant) whole() Kernel[any] { return ConstantOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k ConstantOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k ConstantOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k ConstantOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k ConstantOf[T]) CheckPoints(x data.Points[T]) error {
	return nil
}

// Properties are derived from those of the parts.
func (k ConstantOf[T]) Properties() Properties { return k.open().properties() }

// params is c.
func (k constant) params() []Param { return []Param{nonNegative("constant.c", k.C)} }

// with sets c.
func (constant) with(theta []float64) operator { return constant{theta[0]} }

// validate refuses c < 0.
func (k constant) validate() error { return mustBeNonNegative("constant", "c", k.C) }

// properties of a constant: one feature.
func (k constant) properties() Properties {
	p := finiteFeatures(k.C)
	p.Stationary, p.Isotropic = Yes, Yes
	if k.C < 0 {
		p.PSD = No
	}
	return p
}

func (k constant) pairGrad(_, _ any, dtheta []float64) float64 {
	if len(dtheta) > 0 {
		dtheta[0] = 1
	}
	return k.C
}

func (constant) parts() []Kernel[any]                       { return nil }
func (k constant) of([]Kernel[any]) operator                { return k }
func (constant) pointwise() bool                            { return true }
func (k constant) lower(*builder, pair[any]) node           { return constantNode{k.C} }
func (constant) inputGrad(_ Vec, _ float64, _, _ any) error { return nil }

func (k constant) lowerGrad(_ *builder, p pair[any]) gradNode {
	return constantGrad{valued{constantNode{k.C}}, p.theta}
}

// spectral is all at frequency 0.
func (k constant) spectral([]Spectral) Spectral {
	return spectral{mass: k.C, isotropic: true, sample: func(dst []float64, _ *rand.Rand) { clear(dst) }}
}

func (k constant) sparse([]Kernel[data.SparseVec], int) Kernel[data.SparseVec] {
	return ConstantOf[data.SparseVec](k)
}

type constantNode struct{ c float64 }

func (n constantNode) tile64(dst linalg.Matrix[float64], _ *work[float64]) {
	eachRow(dst, func(_ int, row []float64) { fill(row, n.c) })
}
func (n constantNode) tile32(dst linalg.Matrix[float32], _ *work[float32]) {
	eachRow(dst, func(_ int, row []float32) { fill(row, float32(n.c)) })
}
func (n constantNode) cut(*cutter) node { return n }

type constantGrad struct {
	valued
	theta []int
}

func (constantGrad) storable() bool { return true }

func (n constantGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	if len(n.theta) == 0 || !g.wanted(n.theta[0]) {
		return
	}
	ones := make([]float64, adj.Cols)
	fill(ones, 1)
	for a := range adj.Rows {
		g.emit(n.theta[0], a, adj.Row(a), ones)
	}
}
