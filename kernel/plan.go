package kernel

import (
	"context"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// plan is a kernel on given points, lowered to a tree of tile operations. Each
// distinct pair of a metric and a view of the points is computed once for a
// tile, inner products and squared distances of the same points by one matrix
// product where accuracy allows; everything above it is elementwise work on tiles in cache.
type plan struct {
	root    node
	sources []*source
	rows    int
	cols    int
	params  int
	same    bool            // x and y are the same points
	ctx     context.Context // see Until; nil: to the end
	pool64  sync.Pool
	pool32  sync.Pool
}

// pair is the points of a Gram matrix on their way down the tree.
type pair[T any] struct {
	x, y data.Points[T]
	same bool
	key  string // equal keys in one plan mean equal points
	// theta holds, for each parameter of the kernel that is being lowered, its
	// place among those of the whole kernel, or -1.
	theta []int
	links []link // the maps with parameters between the given points and these
}

// link is an embedding on the way from the given points to those of a metric.
type link struct {
	e     embedding
	x, y  linalg.Matrix[float64] // before the map
	theta []int                  // the places of the parameters of the map
}

// builder makes a plan.
type builder struct {
	plan   *plan
	byKey  map[string]*source
	views  map[string]pair[Vec]
	dense  map[string][2]linalg.Matrix[float64]
	opaque int // maps that cannot be compared, counted to keep their keys apart
}

// lowerer is implemented by the kernels of the algebra.
type lowerer[T any] interface {
	lower(b *builder, p pair[T]) node
}

func newPlan[T any](k Kernel[T], x, y data.Points[T]) *plan {
	p := &plan{rows: x.Len(), cols: y.Len(), same: samePoints(x, y)}
	b := &builder{p, map[string]*source{}, map[string]pair[Vec]{}, map[string][2]linalg.Matrix[float64]{}, 0}
	p.params = len(Params(k))
	theta := make([]int, p.params)
	for i := range theta {
		theta[i] = i
	}
	p.root = lower(b, k, pair[T]{x: x, y: y, same: p.same, theta: theta})
	p.shareProducts()
	return p
}

// lower is where fast paths are looked for: the algebra, a kernel that prepares its points, a user's own Blocker, a
// map into another space, a profile of a metric; else a call for each pair.
func lower[T any](b *builder, k Kernel[T], p pair[T]) node {
	if l, ok := any(k).(lowerer[T]); ok {
		return l.lower(b, p)
	}
	if k, ok := any(k).(Preparer[T]); ok {
		fill := k.PreparePoints(b.plan.context(), p.x, p.y)
		return blockNode{func(dst linalg.Matrix[float64], i, j int) {
			if dst.Rows > 0 && dst.Cols > 0 {
				fill(linalg.Dense(dst), i, j)
			}
		}, gradOfPair(k, p)}
	}
	if bl, ok := any(k).(Blocker[T]); ok {
		return blockNode{blockTile(bl, p), gradOfPair(k, p)}
	}
	if v, ok := any(p).(pair[Vec]); ok {
		switch k := any(k).(type) {
		case embedded:
			e := k.embedding()
			if view, ok := b.view(e, v); ok && (ownGradient(k) || e.own > 0 && !sloped(e.inner)) {
				return aliasNode{lower(b, e.inner, view.fixed()), gradOfPair[Vec](k, v)}
			} else if ok {
				return lower(b, e.inner, view)
			}
		case Profiled:
			if src, ok := b.denseSource(v, k.Metric()); ok && !sloped(k) {
				return aliasNode{newProfileNode(src, k, nil, nil), gradOfPair[Vec](k, v)}
			} else if ok {
				return newProfileNode(src, k, v.theta, v.links)
			}
		}
	}
	return pairNode(b, k, p)
}

// sloped says that every leaf of k is a function of a metric that knows its
// derivatives, so that those by the points before it come tile by tile.
func sloped(k Kernel[Vec]) bool {
	switch k := k.(type) {
	case SumOf[Vec], ProductOf[Vec], ScaleOf[Vec], PowerOf[Vec], PowersOf[Vec], ExpOf[Vec]:
		for _, p := range Parts(Kernel[Vec](k)) {
			if !sloped(p) {
				return false
			}
		}
		return true
	case ConstantOf[Vec], Differentiable:
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
	inner := len(Params(e.inner))
	if e.kept != nil {
		inner = len(e.kept)
	}
	return len(Params[Vec](k)) != e.own+inner
}

// matrices returns the points as matrices; vectors that are rows of no matrix are
// collected into one, once.
func (b *builder) matrices(p pair[Vec]) (x, y linalg.Matrix[float64], ok bool) {
	if m, done := b.dense[p.key]; done {
		return m[0], m[1], true
	}
	if x, ok = denseMatrix(p.x); !ok {
		return
	}
	if p.same {
		y = x
	} else if y, ok = denseMatrix(p.y); !ok || x.Rows > 0 && y.Rows > 0 && x.Cols != y.Cols {
		return x, y, false
	}
	if x.Rows == 0 {
		x.Cols = y.Cols
	}
	if y.Rows == 0 {
		y.Cols = x.Cols
	}
	b.dense[p.key] = [2]linalg.Matrix[float64]{x, y}
	return x, y, true
}

func denseMatrix(p data.Points[Vec]) (linalg.Matrix[float64], bool) {
	if r, ok := p.(interface {
		RawMatrix() blas64.General
	}); ok {
		return linalg.Matrix[float64](r.RawMatrix()), true
	}
	if p.Len() == 0 {
		return linalg.New[float64](0, 0), true
	}
	m := linalg.New[float64](p.Len(), len(p.At(0)))
	for i := range m.Rows {
		row := p.At(i)
		if len(row) != m.Cols {
			return m, false
		}
		copy(m.Row(i), row)
	}
	return m, true
}

// view maps the points by an embedding, once for each distinct one.
func (b *builder) view(e embedding, p pair[Vec]) (pair[Vec], bool) {
	key := p.key + "|" + fmt.Sprint(e.key...)
	x, y, ok := b.matrices(p)
	if !ok {
		return pair[Vec]{}, false
	}
	v, ok := b.views[key]
	if !ok {
		v = pair[Vec]{x: embedPoints(e, p.x), same: p.same, key: key}
		v.y = v.x
		if !p.same {
			v.y = embedPoints(e, p.y)
		}
		b.views[key] = v
	}
	own := min(e.own, len(p.theta))
	v.theta = p.theta[own:]
	if e.kept != nil { // the other parameters of the inner kernel are fixed
		v.theta = make([]int, len(Params(e.inner)))
		for i := range v.theta {
			v.theta[i] = -1
		}
		for i, j := range e.kept {
			v.theta[j] = p.theta[own+i]
		}
	}
	v.links = append(append([]link(nil), p.links...), link{e, x, y, p.theta[:own]})
	return v, true
}

// opaqueKey is a key no other view has.
func (b *builder) opaqueKey(parent string) string {
	b.opaque++
	return fmt.Sprintf("%s|map%d", parent, b.opaque)
}

func (b *builder) denseSource(p pair[Vec], m Metric) (*source, bool) {
	x, y, ok := b.matrices(p)
	if !ok {
		return nil, false
	}
	return b.source(p.key, m, func() *source { return &source{metric: m, x: x, y: y} }), true
}

// source finds or makes the source of a view and a metric, and counts its uses.
func (b *builder) source(key string, m Metric, make func() *source) *source {
	view := key
	key = fmt.Sprintf("%s:%d", key, m)
	s, ok := b.byKey[key]
	if !ok {
		s = make()
		s.view = view
		s.slot = len(b.plan.sources)
		b.plan.sources = append(b.plan.sources, s)
		b.byKey[key] = s
	}
	s.uses++
	return s
}

// samePoints says whether two Points are one and the same.
func samePoints[T any](x, y data.Points[T]) bool {
	if x.Len() != y.Len() {
		return false
	}
	switch x := any(x).(type) {
	case interface {
		RawMatrix() blas64.General
	}:
		if y, ok := any(y).(interface {
			RawMatrix() blas64.General
		}); ok {
			a, b := x.RawMatrix(), y.RawMatrix()
			return a.Cols == b.Cols && a.Stride == b.Stride && sameStart(a.Data, b.Data)
		}
		return false
	case interface{ CSR() *data.CSR }:
		y, ok := any(y).(interface{ CSR() *data.CSR })
		return ok && x.CSR() == y.CSR()
	case data.Slice[T]:
		y, ok := any(y).(data.Slice[T])
		return ok && sameStart(x, y)
	}
	return sameValue(x, y)
}

func sameStart[E any](a, b []E) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
