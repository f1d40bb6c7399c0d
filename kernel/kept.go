package kernel

import (
	"context"
	"reflect"

	"github.com/mercer-ml/mercer/data"
)

// Kept is what f makes of the points y. For the columns of a Base it is made once, and serves every PreparePoints
// after the first; for other points it is made. MapPoints keeps what it makes likewise, so that a Preparer that maps its
// points by it (or by MapBoth, PreparePairs, PrepareSparse) maps the columns of a Base once; Kept is for what is made of all of them together. It
// is called in PreparePoints, not in a Rectangle, and nobody writes to its result.
func Kept[T, V any](ctx context.Context, y data.Points[T], f func() V) V {
	return keep(ctx, y, f, f)
}

// keep is Kept of what makes V by the function by.
func keep[T, V any](ctx context.Context, y data.Points[T], by any, f func() V) V {
	m, ok := y.(*remembering[T])
	if !ok {
		return f()
	}
	key := keptKey{m.part, m.asked, reflect.ValueOf(by).Pointer(), reflect.TypeFor[V]()}
	m.asked++
	if v, ok := m.store.get(key); ok {
		return v.(V)
	}
	v := f()
	if ctx.Err() == nil {
		m.store.put(key, v)
	}
	return v
}

// keptKey tells apart what a kernel makes of its points. Its parts ask one after the other, in an order that is theirs; should
// it depend on x, the code that makes a thing and its type tell it from another in the same place.
type keptKey struct {
	part, place int
	by          uintptr
	of          reflect.Type
}

// remembering is points of which what was made is kept, for one call of PreparePoints.
type remembering[T any] struct {
	data.Points[T]
	store *baseStore
	part  int // which part of the kernel asks
	asked int // how many things it has asked for
}

// columnsOf is the points of y as a Preparer gets them: those of a Base remember.
func columnsOf[T any](b *builder, p pair[T]) data.Points[T] {
	if b.base == nil || p.same {
		return p.y
	}
	b.points++
	return &remembering[T]{Points: p.y, store: b.base, part: b.points}
}
