package kernel

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// node is one operation on the tiles of a plan: a kernel on given points, lowered. A kind of node has all of its
// methods in one place, for an operator beside its type.
type node interface {
	// tile64 sets dst to the values at the tile of w; tile32 does so in single precision.
	tile64(dst linalg.Matrix[float64], w *work[float64])
	tile32(dst linalg.Matrix[float32], w *work[float32])
	// cut is the node of some of the rows and columns.
	cut(c *cutter) node
}

// gradNode is one operation of a backward pass over tiles: a kernel on given points, lowered for its derivatives by
// its parameters. Only ParamGrads and ParamGradDot make them.
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

// lowerer is a kernel that knows a faster way to its tiles than a call for each pair: the operators of
// the algebra, and leaves that are no function of a metric.
type lowerer[T any] interface {
	lower(b *builder, p pair[T]) node
}

// gradLowerer is a lowerer that knows a faster way to its derivatives than pairs.
type gradLowerer[T any] interface {
	lowerGrad(b *builder, p pair[T]) gradNode
}

// lower is where fast paths are looked for: the algebra, a kernel that prepares its points, a user's own Blocker, a
// map into another space, a profile of a metric; else a call for each pair.
func lower[T any](b *builder, k Kernel[T], p pair[T]) node {
	if l, ok := any(k).(lowerer[T]); ok {
		return l.lower(b, p)
	}
	if k, ok := any(k).(Preparer[T]); ok {
		b.row.whole = true
		return rectangleNode(b, k.PreparePoints(b.plan.ctx, p.x, columnsOf(b, p)))
	}
	if bl, ok := any(k).(Blocker[T]); ok {
		b.plan.heavy = true
		return blockNode{blockTile(bl, p)}
	}
	if v, ok := any(p).(pair[Vec]); ok {
		if n := lowerVectors(b, k, v); n != nil {
			return n
		}
	}
	return pairNode(b, k, p)
}

// lowerVectors is lower of a kernel on vectors by its map or its metric; nil where it has neither. It is apart, and not inlined, so that
// points of other types do not compile all of this for vectors once more.
//
//go:noinline
func lowerVectors(b *builder, k any, v pair[Vec]) node {
	switch k := k.(type) {
	case embedded:
		e := k.embedding()
		if view, ok := b.view(e, v); ok {
			return lower(b, e.inner, view)
		}
	case Profiled:
		if src, ok := b.denseSource(v, k.Metric()); ok {
			return newProfileNode(src, k)
		}
	}
	return nil
}

// lowerGrad is lower for a backward pass.
func lowerGrad[T any](b *builder, k Kernel[T], p pair[T]) gradNode {
	if !p.differentiated() {
		return fixedGrad{valued{lower(b, k, p)}}
	}
	if l, ok := any(k).(gradLowerer[T]); ok {
		return l.lowerGrad(b, p)
	}
	if v, ok := any(p).(pair[Vec]); ok && !lowersItself(k) {
		if n := lowerVectorsGrad(b, k, v); n != nil {
			return n
		}
	}
	return pairsGrad{valued{lower(b, k, p)}, gradOfPair(k, p)}
}

// lowerVectorsGrad is lowerVectors for a backward pass.
//
//go:noinline
func lowerVectorsGrad(b *builder, k any, v pair[Vec]) gradNode {
	switch k := k.(type) {
	case embedded:
		e := k.embedding()
		if view, ok := b.view(e, v); ok && !ownGradient(k) && (e.own == 0 || sloped(e.inner)) {
			return lowerGrad(b, e.inner, view)
		}
	case Differentiable:
		if src, ok := b.denseSource(v, k.Metric()); ok {
			return newProfileGrad(src, k, v)
		}
	}
	return nil
}

// lowersItself says that lower takes k as a whole, not for its map or its metric.
func lowersItself[T any](k Kernel[T]) bool {
	switch any(k).(type) {
	case lowerer[T], Preparer[T], Blocker[T]:
		return true
	}
	return false
}

// sloped says that every leaf of k is a function of a metric that knows its
// derivatives, so that those by the points before it come tile by tile.
func sloped(k Kernel[Vec]) bool {
	if o, ok := k.(operator[Vec]); ok {
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
	switch k := k.(type) {
	case Differentiable:
		return true
	case embedded:
		return !ownGradient(k) && sloped(k.embedding().inner)
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
func eachWithParams[T any](ks []Kernel[T], p pair[T], f func(i int, k Kernel[T], p pair[T])) {
	for i, k := range ks {
		n := min(len(Params(k)), len(p.theta))
		part := p
		part.theta = p.theta[:n]
		f(i, k, part)
		p = p.after(n)
	}
}

func lowerAll[T any](b *builder, ks []Kernel[T], p pair[T]) []node {
	nodes := make([]node, len(ks))
	for i, k := range ks {
		nodes[i] = lower(b, k, p)
	}
	return nodes
}

func lowerGradAll[T any](b *builder, ks []Kernel[T], p pair[T]) []gradNode {
	nodes := make([]gradNode, len(ks))
	eachWithParams(ks, p, func(i int, k Kernel[T], part pair[T]) { nodes[i] = lowerGrad(b, k, part) })
	return nodes
}
