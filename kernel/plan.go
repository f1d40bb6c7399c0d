package kernel

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/blas/blas64"
)

// plan is a kernel on given points, lowered to a tree of tile operations. Each
// distinct pair of a metric and a view of the points is computed once for a
// tile, inner products and squared distances of the same points by one matrix
// product where accuracy allows; everything above it is elementwise work on tiles in cache.
type plan struct {
	root    node     // of a plan for values
	grad    gradNode // of a plan for derivatives
	sources []*source
	rows    int
	cols    int
	same    bool                // x and y are the same points
	self    func(i int) float64 // k(xᵢ, xᵢ) by Eval, of a plan for values of the same points
	heavy   bool                // some values are computed a pair at a time: a few of them are work enough for a goroutine
	ctx     context.Context     // tiles are left unfinished once it has ended
	pool64  sync.Pool
	pool32  sync.Pool
}

// pair is the points of a Gram matrix on their way down the tree. It has functions and no methods:
// a package that comes across a generic type compiles all of its methods.
type pair[T any] struct {
	x, y data.Points[T]
	same bool
	key  string // equal keys in one plan mean equal points
	// theta holds, for each parameter of the kernel that is being lowered for its derivatives, its
	// place among those of the whole kernel, or -1; none for values.
	theta []int
	links []link // the maps with parameters between the given points and these
	// points says that derivatives by the given points are asked for.
	points bool
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
	views  map[string]pair[Vec]
	dense  map[string][2]linalg.Matrix[float64]
	opaque int        // maps that cannot be compared, counted to keep their keys apart
	points int        // numbers for each point, counted likewise
	base   *baseStore // what is known of the columns, or nil
	row    rowMaker   // for a plan of one point after another
}

// newPlan is k on given points, with the values lowered.
func newPlan(ctx context.Context, k Kernel[any], x, y data.Points[any]) *plan {
	b, p := startPlan(ctx, x, y)
	b.plan.root = lower(b, k, p)
	if b.plan.same {
		b.plan.self = doorFor(k).selves(x)
	}
	b.shareProducts()
	return b.plan
}

// newGradPlan is k on given points, with the derivatives lowered.
func newGradPlan(ctx context.Context, k Kernel[any], x, y data.Points[any]) *plan {
	b, p := startPlan(ctx, x, y)
	p.theta = par.Indices(0, len(Params(k)))
	b.plan.grad = lowerGrad(b, k, p)
	b.shareProducts()
	for _, s := range b.plan.sources {
		s.summed = true
	}
	return b.plan
}

func startPlan(ctx context.Context, x, y data.Points[any]) (*builder, pair[any]) {
	plan := &plan{rows: x.Len(), cols: y.Len(), same: samePoints(x, y), ctx: ctx}
	b := &builder{plan: plan}
	return b, pair[any]{x: x, y: y, same: plan.same}
}

// stopped says that nobody waits for the rest.
func (p *plan) stopped() bool { return p.ctx.Err() != nil }

// retyped is the pair with the same points in another type.
func retyped[U, T any](p pair[T], x, y data.Points[U]) pair[U] {
	return pair[U]{x: x, y: y, same: p.same, key: p.key, theta: p.theta, links: p.links, points: p.points}
}

// asVectors is points that are vectors, and whether they are.
func asVectors(p pair[any]) (pair[Vec], bool) {
	x, ok := data.VectorsOf(p.x)
	y, also := data.VectorsOf(p.y)
	return retyped(p, x, y), ok && also
}

func vectorPair(p pair[any]) pair[Vec] { return retyped(p, mustPoints[Vec](p.x), mustPoints[Vec](p.y)) }

func sparsePair(p pair[any]) pair[data.SparseVec] {
	return retyped(p, mustPoints[data.SparseVec](p.x), mustPoints[data.SparseVec](p.y))
}

func erasedPair[T any](p pair[T]) pair[any] { return retyped(p, data.Erase(p.x), data.Erase(p.y)) }

// after drops the first n parameters.
func after[T any](p pair[T], n int) pair[T] {
	p.theta = p.theta[min(n, len(p.theta)):]
	return p
}

// differentiated says that derivatives by something are asked for: a parameter of the kernel, or of
// a map before it, or the points.
func differentiated[T any](p pair[T]) bool {
	return p.points || len(p.theta) > 0 || slices.ContainsFunc(p.links, func(l link) bool { return len(l.theta) > 0 })
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
	if !matrixBacked(p.x) {
		b.repeat(func() { copy(x.Row(0), p.x.At(0)) })
	}
	if p.same {
		y = x
	} else if y, ok = b.denseColumns(p); !ok || x.Rows > 0 && y.Rows > 0 && x.Cols != y.Cols {
		return x, y, false
	}
	if x.Rows == 0 {
		x.Cols = y.Cols
	}
	if y.Rows == 0 {
		y.Cols = x.Cols
	}
	if b.dense == nil {
		b.dense = map[string][2]linalg.Matrix[float64]{}
	}
	b.dense[p.key] = [2]linalg.Matrix[float64]{x, y}
	return x, y, true
}

func (b *builder) denseColumns(p pair[Vec]) (linalg.Matrix[float64], bool) {
	type matrix struct {
		m  linalg.Matrix[float64]
		ok bool
	}
	d := ofColumns(b, "dense"+p.key, func() matrix {
		m, ok := denseMatrix(p.y)
		return matrix{m, ok}
	})
	return d.m, d.ok
}

// rawMatrix is points that are the rows of a matrix.
type rawMatrix interface{ RawMatrix() blas64.General }

func matrixBacked(p data.Points[Vec]) bool {
	_, ok := p.(rawMatrix)
	return ok
}

func denseMatrix(p data.Points[Vec]) (linalg.Matrix[float64], bool) {
	if r, ok := p.(rawMatrix); ok {
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
	x, y, ok := b.matrices(p)
	if !ok {
		return pair[Vec]{}, false
	}
	if e.linear || differentiated(p) {
		if moved, ok := b.movedPair(e, p, x, y); ok {
			if p = moved; differentiated(p) {
				x, y, _ = b.matrices(p)
			}
		}
	}
	key := p.key + keyOf(e)
	v, ok := b.views[key]
	if !ok {
		image := embedPoints(e, p.x)
		b.repeat(func() { e.apply(image.At(0), p.x.At(0)) })
		v = pair[Vec]{x: image, same: p.same, key: key}
		v.y = v.x
		if !p.same {
			v.y = ofColumns(b, "view"+key, func() data.DenseRows { return embedPoints(e, p.y) })
		}
		if b.views == nil {
			b.views = map[string]pair[Vec]{}
		}
		b.views[key] = v
	}
	if !differentiated(p) {
		return v, true
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
	v.points = p.points
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
func (b *builder) source(view string, m Metric, make func() *source) *source {
	for _, s := range b.plan.sources { // there are few
		if s.view == view && s.metric == m {
			s.uses++
			return s
		}
	}
	s := make()
	s.view, s.base, s.uses, s.slot = view, b.base, 1, len(b.plan.sources)
	b.repeat(s.renew)
	b.plan.sources = append(b.plan.sources, s)
	return s
}

// samePoints says whether two Points are one and the same.
func samePoints(x, y data.Points[any]) bool {
	if x.Len() != y.Len() {
		return false
	}
	if x, ok := x.(interface{ Place() any }); ok { // erased: a slice of any type
		if y, ok := y.(interface{ Place() any }); ok && x.Place() != nil {
			return x.Place() == y.Place()
		}
	}
	u, v := data.Concrete(x), data.Concrete(y)
	switch x := u.(type) {
	case rawMatrix:
		if y, ok := v.(rawMatrix); ok {
			a, b := x.RawMatrix(), y.RawMatrix()
			return a.Cols == b.Cols && a.Stride == b.Stride && sameStart(a.Data, b.Data)
		}
		return false
	case interface{ CSR() *data.CSR }:
		y, ok := v.(interface{ CSR() *data.CSR })
		return ok && x.CSR() == y.CSR()
	case interface{ remembers() *memory }:
		y, ok := v.(interface{ remembers() *memory })
		return ok && x.remembers() == y.remembers()
	case data.Slice[any]:
		y, ok := v.(data.Slice[any])
		return ok && sameStart(x, y)
	}
	return sameValue(u, v)
}

func sameStart[E any](a, b []E) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
