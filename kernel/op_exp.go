package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

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

// Properties of exp(k) = 1 + k + k²/2 + …: whatever a sum with k has. The
// exponential of c⟨x, y⟩ is strict and universal by itself.
func (k ExpOf[T]) Properties() Properties {
	in := PropertiesOf(k.Kernel)
	out := SumOf[T]{[]Kernel[T]{ConstantOf[T]{1}, k.Kernel}}.Properties()
	out.Bound = math.Exp(in.Bound)
	inner := any(k.Kernel)
	if s, ok := inner.(ScaleOf[T]); ok && s.Factor > 0 {
		inner = any(s.Kernel)
	}
	if _, ok := inner.(Linear); ok {
		out.Strict, out.Universal = Yes, Yes
	}
	return out
}

func (k ExpOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	e := [1]float64{v}
	expScale(e[:], 1)
	chained(dtheta, e[0])
	return e[0]
}

func (k ExpOf[T]) parts() []Kernel[T]               { return []Kernel[T]{k.Kernel} }
func (ExpOf[T]) of(parts []Kernel[T]) Kernel[T]     { return ExpOf[T]{parts[0]} }
func (ExpOf[T]) pointwise() bool                    { return true }
func (k ExpOf[T]) lower(b *builder, p pair[T]) node { return expNode{lower(b, k.Kernel, p)} }

func (k ExpOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	in := lowerGrad(b, k.Kernel, p)
	return expGrad{valued{expNode{in.values()}}, in}
}

func (k ExpOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
	return addInputGrad(k.Kernel, dst, scale*k.Eval(x, y), x, y)
}

// spectral is that of 1 + k + k²/2 + ….
func (ExpOf[T]) spectral(parts []Spectral) Spectral {
	return powerSeries(parts, exponentialCoef(parts[0].Mass()))
}

func (ExpOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparseExp(parts[0])
}

type expNode struct{ in node }

func (n expNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	n.in.tile64(dst, w)
	eachRow(dst, func(_ int, row []float64) { expScale(row, 1) })
}
func (n expNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	n.in.tile32(dst, w)
	eachRow(dst, func(_ int, row []float32) { expScale32(row, 1) })
}
func (n expNode) cut(c *cutter) node { return expNode{n.in.cut(c)} }

type expGrad struct {
	valued
	in gradNode
}

func (n expGrad) storable() bool { return n.in.storable() }

func (n expGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	g.chain(n.in, n.value, adj, func(v float64) float64 { return v })
}
