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

// Params is c.
func (k ConstantOf[T]) Params() []Param { return []Param{nonNegative("constant.c", k.C)} }

// With sets c.
func (ConstantOf[T]) With(theta []float64) Kernel[T] { return ConstantOf[T]{theta[0]} }

// Validate refuses c < 0.
func (k ConstantOf[T]) Validate() error { return mustBeNonNegative("constant", "c", k.C) }

// Properties of a constant: one feature.
func (k ConstantOf[T]) Properties() Properties {
	p := finiteFeatures(k.C)
	p.Stationary, p.Isotropic = Yes, Yes
	if k.C < 0 {
		p.PSD = No
	}
	return p
}

func (k ConstantOf[T]) pairGrad(_, _ T, dtheta []float64) float64 {
	if len(dtheta) > 0 {
		dtheta[0] = 1
	}
	return k.C
}

// CheckPoints takes all points.
func (ConstantOf[T]) CheckPoints(data.Points[T]) error { return nil }

func (ConstantOf[T]) parts() []Kernel[T]                       { return nil }
func (k ConstantOf[T]) of([]Kernel[T]) Kernel[T]               { return k }
func (ConstantOf[T]) pointwise() bool                          { return true }
func (k ConstantOf[T]) lower(*builder, pair[T]) node           { return constantNode{k.C} }
func (ConstantOf[T]) inputGrad(_ Vec, _ float64, _, _ T) error { return nil }

func (k ConstantOf[T]) lowerGrad(_ *builder, p pair[T]) gradNode {
	return constantGrad{valued{constantNode{k.C}}, p.theta}
}

// spectral is all at frequency 0.
func (k ConstantOf[T]) spectral([]Spectral) Spectral {
	return spectral{mass: k.C, isotropic: true, sample: func(dst []float64, _ *rand.Rand) { clear(dst) }}
}

func (k ConstantOf[T]) sparse([]Kernel[data.SparseVec], int) Kernel[data.SparseVec] {
	return sparseConstant(k.C)
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
