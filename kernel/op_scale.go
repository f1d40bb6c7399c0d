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
	if e, ok := any(k).(erased); ok {
		return any(e.times(c)).(Kernel[T])
	}
	return ScaleOf[T]{c, k}
}

// Eval returns c·k(x, y).
func (k ScaleOf[T]) Eval(x, y T) float64 { return k.Factor * k.Kernel.Eval(x, y) }

// scale is a ScaleOf of kernels on erased points, by which everything but its values is known.
type scale ScaleOf[any]

func (k ScaleOf[T]) open() operator { return scale{k.Factor, Erase(k.Kernel)} }

func (ScaleOf[T]) shut(o operator) Kernel[T] {
	own := o.(scale)
	return ScaleOf[T]{own.Factor, mustTyped[T](own.Kernel)}
}

func (k scale) whole() Kernel[any] { return ScaleOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k ScaleOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k ScaleOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k ScaleOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k ScaleOf[T]) CheckPoints(x data.Points[T]) error {
	return checkTyped(k.Kernel, x)
}

// Properties are derived from those of the parts.
func (k ScaleOf[T]) Properties() Properties { return k.open().properties() }

// params are c and those of the kernel.
func (k scale) params() []Param {
	return distinct(append([]Param{nonNegativeLog("scale.factor", k.Factor)}, Params(k.Kernel)...))
}

// with sets c and the parameters of the kernel.
func (k scale) with(theta []float64) operator {
	return scale{theta[0], withOne(k.Kernel, theta[1:])}
}

// validate refuses c < 0.
func (k scale) validate() error {
	return firstError(mustBeNonNegative("scale", "factor", k.Factor), validate(k.Kernel))
}

// properties of c·k: those of k for c > 0.
func (k scale) properties() Properties {
	p := PropertiesOf(k.Kernel)
	switch {
	case k.Factor > 0:
		p.Bound *= k.Factor
	case k.Factor == 0:
		return constant{0}.properties()
	default:
		p = nothingKnown()
		p.PSD = No // -k(x, x) < 0 unless k vanishes
	}
	return p
}

func (k scale) pairGrad(x, y any, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta[1:])
	chained(dtheta[1:], k.Factor)
	dtheta[0] = v
	return k.Factor * v
}

func (k scale) parts() []Kernel[any]            { return []Kernel[any]{k.Kernel} }
func (k scale) of(parts []Kernel[any]) operator { return scale{k.Factor, parts[0]} }
func (scale) pointwise() bool                   { return true }
func (k scale) lower(b *builder, p pair[any]) node {
	return scaleNode{k.Factor, lower(b, k.Kernel, p)}
}

func (k scale) lowerGrad(b *builder, p pair[any]) gradNode {
	at := -1
	if len(p.theta) > 0 {
		at = p.theta[0]
	}
	in := lowerGrad(b, k.Kernel, after(p, 1))
	return scaleGrad{valued{scaleNode{k.Factor, in.values()}}, in, k.Factor, at}
}

func (k scale) inputGrad(dst Vec, scale float64, x, y any) error {
	return addInputGrad(k.Kernel, dst, scale*k.Factor, x, y)
}

func (k scale) spectral(parts []Spectral) Spectral {
	return reweighed(k.Factor*parts[0].Mass(), parts)
}

func (k scale) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return ScaleOf[data.SparseVec]{k.Factor, parts[0]}
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
	t := push(g.w)
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
	pop(g.w)
}
