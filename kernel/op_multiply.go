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

// multiply is a MultiplyOf on erased points, by which everything but its values is known.
type multiply struct {
	kernel Kernel[any]
	// values is f of each point of a side, and at is f of one.
	values func(x data.Points[any]) func(i int) float64
	at     func(x any) float64
	f      any // as it was given
}

func (k MultiplyOf[T]) open() operator {
	return multiply{Erase(k.Kernel), func(x data.Points[any]) func(i int) float64 {
		points := mustPoints[T](x)
		return func(i int) float64 { return k.F(points.At(i)) }
	}, func(x any) float64 { return k.F(x.(T)) }, k.F}
}

func (k MultiplyOf[T]) shut(o operator) Kernel[T] {
	return MultiplyOf[T]{k.F, mustTyped[T](o.(multiply).kernel)}
}

func (k multiply) whole() Kernel[any] { return MultiplyOf[any]{k.at, k.kernel} }

// Params are those of the kernel; the constant of RankOne is none.
func (k MultiplyOf[T]) Params() []Param { return k.open().params() }

// With sets the parameters of the kernel.
func (k MultiplyOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate asks the kernel.
func (k MultiplyOf[T]) Validate() error { return k.open().validate() }

// CheckPoints refuses points where f is not finite.
func (k MultiplyOf[T]) CheckPoints(x data.Points[T]) error {
	return k.open().(multiply).checkPoints(data.Erase(x))
}

// Properties of f·k·f: positive definite; the rest depends on f.
func (k MultiplyOf[T]) Properties() Properties { return k.open().properties() }

func (k multiply) params() []Param {
	if _, ok := operatorOfKind[constant](k.kernel); ok {
		return nil
	}
	return Params(k.kernel)
}

func (k multiply) with(theta []float64) operator {
	k.kernel = withOne(k.kernel, theta)
	return k
}

func (k multiply) validate() error { return validate(k.kernel) }

func (k multiply) checkPoints(x data.Points[any]) error {
	f := k.values(x)
	for i := range x.Len() {
		if v := f(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("kernel", "multiply: f(x) = %g at row %d", v, i)
		}
	}
	return checkPoints(k.kernel, x)
}

func (k multiply) properties() Properties {
	out := nothingKnown()
	out.PSD = PropertiesOf(k.kernel).PSD
	if out.PSD == No {
		out.PSD = Unknown
	}
	return out
}

func (k multiply) pairGrad(x, y any, dtheta []float64) float64 {
	w := k.at(x) * k.at(y)
	if len(dtheta) == 0 {
		return w * k.kernel.Eval(x, y)
	}
	v := pairGrad(k.kernel, x, y, dtheta)
	chained(dtheta, w)
	return w * v
}

func (k multiply) parts() []Kernel[any] { return []Kernel[any]{k.kernel} }
func (k multiply) of(parts []Kernel[any]) operator {
	k.kernel = parts[0]
	return k
}
func (multiply) pointwise() bool              { return false }
func (multiply) spectral([]Spectral) Spectral { return nil }

func (k multiply) lower(b *builder, p pair[any]) node {
	l, r := perPoint(b, p, k.values)
	return weightNode{lower(b, k.kernel, p), l, r}
}

func (k multiply) lowerGrad(b *builder, p pair[any]) gradNode {
	l, r := perPoint(b, p, k.values)
	in := lowerGrad(b, k.kernel, p)
	return weightGrad{valued{weightNode{in.values(), l, r}}, in, l, r}
}

func (k multiply) inputGrad(Vec, float64, any, any) error { return noInputGrad(k.whole()) }

func (k multiply) sparse(parts []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec] {
	return MultiplyOf[data.SparseVec]{afterExpanding(dim, k.f.(func(Vec) float64)), parts[0]}
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
	t := push(g.w)
	t.CopyFrom(adj)
	for a := range t.Rows {
		weigh(t.Row(a), n.left[g.w.i+a], n.right[g.w.j:])
	}
	n.in.back(g, t)
	pop(g.w)
}
