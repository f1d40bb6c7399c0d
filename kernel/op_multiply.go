package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
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

// Properties of f·k·f: positive definite; the rest depends on f.
func (k MultiplyOf[T]) Properties() Properties {
	out := nothingKnown()
	out.PSD = PropertiesOf(k.Kernel).PSD
	if out.PSD == No {
		out.PSD = Unknown
	}
	return out
}

func (k MultiplyOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	w := k.F(x) * k.F(y)
	if len(dtheta) == 0 {
		return w * k.Kernel.Eval(x, y)
	}
	v := pairGrad(k.Kernel, x, y, dtheta)
	chained(dtheta, w)
	return w * v
}

func (k MultiplyOf[T]) parts() []Kernel[T]             { return []Kernel[T]{k.Kernel} }
func (k MultiplyOf[T]) of(parts []Kernel[T]) Kernel[T] { return MultiplyOf[T]{k.F, parts[0]} }
func (MultiplyOf[T]) pointwise() bool                  { return false }
func (MultiplyOf[T]) spectral([]Spectral) Spectral     { return nil }

func (k MultiplyOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(b, p, k.F)
	return weightNode{lower(b, k.Kernel, p), l, r}
}

func (k MultiplyOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	l, r := perPoint(b, p, k.F)
	in := lowerGrad(b, k.Kernel, p)
	return weightGrad{valued{weightNode{in.values(), l, r}}, in, l, r}
}

func (k MultiplyOf[T]) inputGrad(Vec, float64, T, T) error { return noInputGrad[T](k) }

func (k MultiplyOf[T]) sparse(parts []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec] {
	return sparseMultiply(afterExpanding(dim, any(k.F).(func(Vec) float64)), parts[0])
}

// weightNode is left[i]·in·right[j].
type weightNode struct {
	in          node
	left, right []float64
}

func (n weightNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { weightTile(n, dst, w) }
func (n weightNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { weightTile(n, dst, w) }

func (n weightNode) cut(c *cutter) node {
	return weightNode{n.in.cut(c), chosenOf(n.left, c.rows), chosenOf(n.right, c.cols)}
}

func weightTile[F linalg.Float](n weightNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	for a := range dst.Rows {
		weigh(dst.Row(a), F(n.left[w.i+a]), n.right[w.j:])
	}
}

// weigh sets row[b] = left·row[b]·right[b].
func weigh[F linalg.Float](row []F, left F, right []float64) {
	for b, v := range row {
		row[b] = left * v * F(right[b])
	}
}

// weightGrad is the backward pass of weights without parameters.
type weightGrad struct {
	valued
	in          gradNode
	left, right []float64
}

func (n weightGrad) storable() bool { return n.in.storable() }

func (n weightGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	t := g.w.push()
	t.CopyFrom(adj)
	for a := range t.Rows {
		weigh(t.Row(a), n.left[g.w.i+a], n.right[g.w.j:])
	}
	n.in.back(g, t)
	g.w.pop()
}
