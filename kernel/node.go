package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// node is one operation on the tiles of a plan: a kernel on given points, lowered. A kind of node
// has all of its methods in one place, for an operator beside its type.
type node interface {
	// tile64 sets dst to the values at the tile of w; tile32 does so in single precision.
	tile64(dst linalg.Matrix[float64], w *work[float64])
	tile32(dst linalg.Matrix[float32], w *work[float32])
	// cut is the node of some of the rows and columns.
	cut(c *cutter) node
}

// gradNode is one operation of a backward pass over tiles: a kernel on given points, lowered for
// its derivatives by its parameters. Only ParamGrads and ParamGradDot make them.
type gradNode interface {
	// values is the node of the same kernel.
	values() node
	// back adds Σ adj·∂k/∂θ; adj is not changed.
	back(g *gradient, adj linalg.Matrix[float64])
	// storable says that derivatives of single pairs come tile by tile.
	storable() bool
}

// evaluate fills dst with the values of n at the tile of w.
func evaluate[F linalg.Float](n node, dst linalg.Matrix[F], w *work[F]) {
	switch d := any(dst).(type) {
	case linalg.Matrix[float64]:
		n.tile64(d, any(w).(*work[float64]))
	case linalg.Matrix[float32]:
		n.tile32(d, any(w).(*work[float32]))
	}
}

// valued is the values of a gradNode.
type valued struct{ value node }

func (v valued) values() node { return v.value }

// valuesOf are the values of several.
func valuesOf(grads []gradNode) []node {
	out := make([]node, len(grads))
	for i, g := range grads {
		out[i] = g.values()
	}
	return out
}

func allStorable(grads []gradNode) bool {
	for _, g := range grads {
		if !g.storable() {
			return false
		}
	}
	return true
}

// fixedGrad is a kernel none of whose parameters is asked for.
type fixedGrad struct{ valued }

func (fixedGrad) back(*gradient, linalg.Matrix[float64]) {}
func (fixedGrad) storable() bool                         { return true }

// lowerer is a leaf on vectors or sparse rows that knows a faster way to its tiles than a call for
// each pair, and is no function of a metric.
type lowerer[T any] interface {
	lower(b *builder, p pair[T]) node
}

// gradLowerer is a lowerer that knows a faster way to its derivatives than pairs.
type gradLowerer[T any] interface {
	lowerGrad(b *builder, p pair[T]) gradNode
}

// lower is where fast paths are looked for: the algebra, a kernel that knows its tiles, one that
// prepares its points, a user's own Blocker, a map into another space, a profile of a metric; else
// a call for each pair.
func lower(b *builder, k Kernel[any], p pair[any]) node {
	if o, ok := operatorOf(k); ok {
		return o.lower(b, p)
	}
	switch k := bare(k).(type) {
	case lowerer[Vec]:
		return k.lower(b, vectorPair(p))
	case lowerer[data.SparseVec]:
		return k.lower(b, sparsePair(p))
	}
	d := doorFor(k)
	if d.prepares() {
		b.row.whole = true
		return rectangleNode(b, d.rectangle(b.plan.ctx, side{points: p.x}, columnsOf(b, p)))
	}
	if d.blocks() {
		b.plan.heavy = true
		return blockNode{d.block(p.x, p.y)}
	}
	if v, ok := asVectors(p); ok {
		if n := lowerVectors(b, bare(k), v); n != nil {
			return n
		}
	}
	return pairNode(b, d, p)
}

// lowerVectors is lower of a kernel on vectors by its map or its metric; nil where it has neither.
func lowerVectors(b *builder, k any, v pair[Vec]) node {
	switch k := k.(type) {
	case embedded:
		e := k.embedding()
		if view, ok := b.view(e, v); ok {
			return lower(b, OnVectors(e.inner), erasedPair(view))
		}
	case Profiled:
		if src, ok := b.denseSource(v, k.Metric()); ok {
			return newProfileNode(src, k)
		}
	}
	return nil
}

// lowerGrad is lower for a backward pass.
func lowerGrad(b *builder, k Kernel[any], p pair[any]) gradNode {
	if !differentiated(p) {
		return fixedGrad{valued{lower(b, k, p)}}
	}
	if o, ok := operatorOf(k); ok {
		return o.lowerGrad(b, p)
	}
	switch k := bare(k).(type) {
	case gradLowerer[Vec]:
		return k.lowerGrad(b, vectorPair(p))
	case gradLowerer[data.SparseVec]:
		return k.lowerGrad(b, sparsePair(p))
	}
	if v, ok := asVectors(p); ok && !lowersItself(k) {
		if n := lowerVectorsGrad(b, bare(k), v); n != nil {
			return n
		}
	}
	return pairsGrad{valued{lower(b, k, p)}, gradOfPair(k, p)}
}

// lowerVectorsGrad is lowerVectors for a backward pass.
func lowerVectorsGrad(b *builder, k any, v pair[Vec]) gradNode {
	switch k := k.(type) {
	case embedded:
		e := k.embedding()
		if view, ok := b.view(e, v); ok && !ownGradient(k) && (e.own == 0 || sloped(OnVectors(e.inner))) {
			return lowerGrad(b, OnVectors(e.inner), erasedPair(view))
		}
	case Differentiable:
		if src, ok := b.denseSource(v, k.Metric()); ok {
			return newProfileGrad(src, k, v)
		}
	}
	return nil
}

// lowersItself says that lower takes k as a whole, not for its map or its metric.
func lowersItself(k Kernel[any]) bool {
	switch bare(k).(type) {
	case interface{ open() operator }, lowerer[Vec], lowerer[data.SparseVec]:
		return true
	}
	d := doorFor(k)
	return d.prepares() || d.blocks()
}

// sloped says that every leaf of k is a function of a metric that knows its
// derivatives, so that those by the points before it come tile by tile.
func sloped(k Kernel[any]) bool {
	if o, ok := operatorOf(k); ok {
		if !o.pointwise() {
			return false
		}
		for _, p := range o.parts() {
			if !sloped(p) {
				return false
			}
		}
		return true
	}
	switch k := bare(k).(type) {
	case Differentiable:
		return true
	case embedded:
		return !ownGradient(k) && sloped(OnVectors(k.embedding().inner))
	}
	return false
}

// ownGradient says that an embedded kernel has parameters that are neither those of its
// map nor those of its inner kernel.
func ownGradient(k embedded) bool {
	e := k.embedding()
	inner := len(e.kept)
	if e.kept == nil {
		inner = len(Params(e.inner))
	}
	return len(Params[Vec](k)) != e.own+inner
}

// parts of several kernels, each with its parameters.
func eachWithParams(ks []Kernel[any], p pair[any], f func(i int, k Kernel[any], p pair[any])) {
	for i, k := range ks {
		n := min(len(Params(k)), len(p.theta))
		part := p
		part.theta = p.theta[:n]
		f(i, k, part)
		p = after(p, n)
	}
}

func lowerAll(b *builder, ks []Kernel[any], p pair[any]) []node {
	nodes := make([]node, len(ks))
	for i, k := range ks {
		nodes[i] = lower(b, k, p)
	}
	return nodes
}

func lowerGradAll(b *builder, ks []Kernel[any], p pair[any]) []gradNode {
	nodes := make([]gradNode, len(ks))
	eachWithParams(ks, p, func(i int, k Kernel[any], part pair[any]) { nodes[i] = lowerGrad(b, k, part) })
	return nodes
}
