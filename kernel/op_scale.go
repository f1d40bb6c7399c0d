package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// ScaleOf is c·k(x, y), c ≥ 0; Scale makes one.
type ScaleOf[T any] struct {
	Factor float64
	Kernel Kernel[T]
}

// Scale multiplies a kernel by a number c ≥ 0.
func Scale[T any](c float64, k Kernel[T]) Kernel[T] {
	if e, ok := k.(interface{ times(c float64) Kernel[T] }); ok { // erased: the multiple keeps its type
		return e.times(c)
	}
	return ScaleOf[T]{c, k}
}

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

// Properties of c·k: those of k for c > 0.
func (k ScaleOf[T]) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	switch {
	case k.Factor > 0:
		p.Bound *= k.Factor
	case k.Factor == 0:
		return ConstantOf[T]{0}.Properties()
	default:
		p = nothingKnown()
		p.PSD = No // -k(x, x) < 0 unless k vanishes
	}
	return p
}

func (k ScaleOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta[1:])
	chained(dtheta[1:], k.Factor)
	dtheta[0] = v
	return k.Factor * v
}

func (k ScaleOf[T]) parts() []Kernel[T]             { return []Kernel[T]{k.Kernel} }
func (k ScaleOf[T]) of(parts []Kernel[T]) Kernel[T] { return ScaleOf[T]{k.Factor, parts[0]} }
func (ScaleOf[T]) pointwise() bool                  { return true }
func (k ScaleOf[T]) lower(b *builder, p pair[T]) node {
	return scaleNode{k.Factor, lower(b, k.Kernel, p)}
}

func (k ScaleOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	at := -1
	if len(p.theta) > 0 {
		at = p.theta[0]
	}
	in := lowerGrad(b, k.Kernel, p.after(1))
	return scaleGrad{valued{scaleNode{k.Factor, in.values()}}, in, k.Factor, at}
}

func (k ScaleOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
	return addInputGrad(k.Kernel, dst, scale*k.Factor, x, y)
}

func (k ScaleOf[T]) spectral(parts []Spectral) Spectral {
	return reweighed(k.Factor*parts[0].Mass(), parts)
}

func (k ScaleOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparseScale(k.Factor, parts[0])
}

type scaleNode struct {
	c  float64
	in node
}

func (n scaleNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { scaleTile(n, dst, w) }
func (n scaleNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { scaleTile(n, dst, w) }
func (n scaleNode) cut(c *cutter) node                                  { return scaleNode{n.c, n.in.cut(c)} }

func scaleTile[F linalg.Float](n scaleNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	eachRow(dst, func(_ int, row []F) { scaleBy(row, F(n.c)) })
}

type scaleGrad struct {
	valued
	in gradNode
	c  float64
	at int // the place of c among the parameters, or -1
}

func (n scaleGrad) storable() bool { return n.in.storable() }

func (n scaleGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	t := g.w.push()
	if g.wanted(n.at) {
		evaluate(n.in.values(), t, g.w)
		for a := range adj.Rows {
			g.emit(n.at, a, adj.Row(a), t.Row(a))
		}
	}
	t.CopyFrom(adj)
	for a := range t.Rows {
		scaleBy(t.Row(a), n.c)
	}
	n.in.back(g, t)
	g.w.pop()
}
