package kernel

import (
	"context"
	"reflect"

	"github.com/mercer-ml/mercer/data"
)

// Kept is what f makes of the points y. For the columns of a Base it is made once, and serves every
// PreparePoints after the first; for other points it is made. MapPoints keeps what it makes
// likewise, so that a Preparer that maps its points by it (or by MapBoth, PreparePairs,
// PrepareSparse) maps the columns of a Base once; Kept is for what is made of all of them together.
// It is called in PreparePoints, not in a Rectangle, and nobody writes to its result.
func Kept[T, V any](ctx context.Context, y data.Points[T], f func() V) V {
	return keep(ctx, y, f, f)
}

// keep is Kept of what makes V by the function by.
func keep[T, V any](ctx context.Context, y data.Points[T], by any, f func() V) V {
	r, ok := y.(remembering[T])
	if !ok {
		return f()
	}
	m := r.memory
	key := keptKey{part: m.part, by: reflect.ValueOf(by).Pointer(), of: reflect.TypeFor[V]()}
	key.place = m.next(key)
	if v, ok := m.store.get(key); ok {
		return v.(V)
	}
	v := f()
	if ctx.Err() == nil {
		m.store.put(key, v)
	}
	return v
}

// keptKey tells apart what a kernel makes of its points: by the code that makes it and the type of
// it, and where one code makes several things (a map for each number of holes) by their order. What
// else is made in between does not count: as rows, points are only mapped; as columns, what is made
// of all of them is asked for too.
type keptKey struct {
	part  int
	by    uintptr
	of    reflect.Type
	place int
}

// remembering is points of which what was made is kept.
type remembering[T any] struct {
	data.Points[T]
	memory *memory
}

func (r remembering[T]) remembers() *memory { return r.memory }

// remembered is the points of a side as a Preparer gets them.
func remembered[T any](s side) data.Points[T] {
	points := mustPoints[T](s.points)
	if s.memory == nil {
		return points
	}
	return remembering[T]{points, s.memory}
}

// memory is where what was made of points is kept, for one call of PreparePoints.
type memory struct {
	store *baseStore
	part  int             // which part of the kernel asks
	asked map[keptKey]int // how many things of a code and type it has asked for
}

// next is how often a thing was asked for before.
func (m *memory) next(key keptKey) int {
	if m.asked == nil {
		m.asked = map[keptKey]int{}
	}
	place := m.asked[key]
	m.asked[key]++
	return place
}

// columnsOf is the points of y as a Preparer gets them: those of a Base remember.
func columnsOf(b *builder, p pair[any]) side {
	if b.base == nil || p.same {
		return side{points: p.y}
	}
	b.points++
	return side{p.y, &memory{store: b.base, part: b.points}}
}
