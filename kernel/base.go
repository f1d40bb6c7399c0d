package kernel

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/data"
)

// Base is a kernel with the columns of its Gram matrices made ready once: the points that a fitted
// function is evaluated against, over and over, for few new ones each time. Points are mapped and
// measured when a tile first needs it, and kept, in about as much memory as they take themselves. A
// value does not depend on the other points of x, nor on how many there are or how tiles are cut,
// to the last bit. It is safe for concurrent use; the points must not change.
type Base[T any] struct{ of *base }

// base is a Base on erased points.
type base struct {
	k     Kernel[any]
	y     data.Points[any]
	store *baseStore
	rows  sync.Pool // of *rowPlan, see Row

	once   sync.Once
	summed bool // see HasSums
}

// NewBase is k with the columns y.
func NewBase[T any](k Kernel[T], y data.Points[T]) *Base[T] {
	return &Base[T]{newBase(Erase(k), data.Erase(y))}
}

func newBase(k Kernel[any], y data.Points[any]) *base {
	return &base{k: k, y: y, store: newBaseStore()}
}

// Erase is s for points that have forgotten their type: what was made of the columns is of both. Of
// nil it is nil.
func (s *Base[T]) Erase() *Base[any] {
	if s == nil {
		return nil
	}
	return &Base[any]{s.of}
}

// Prepare is K(X, Y) as the function Prepare makes it, for the price of x alone.
func (s *Base[T]) Prepare(ctx context.Context, x data.Points[T]) Tiles {
	return s.of.prepare(ctx, data.Erase(x))
}

func (s *base) prepare(ctx context.Context, x data.Points[any]) Tiles {
	b, p := startPlan(ctx, x, s.y)
	// Half of a symmetric matrix would do where x is y; but then a value would come now from one
	// side, now from the other.
	p.same, b.plan.same = false, false
	s.lower(b, p)
	return b.plan
}

func (s *base) lower(b *builder, p pair[any]) {
	b.base = s.store
	b.plan.root = lower(b, s.k, p)
}

// baseStore is what was made of the columns, by what it is and of which view of them.
type baseStore struct {
	mu   sync.Mutex
	kept map[any]any
}

func newBaseStore() *baseStore { return &baseStore{kept: map[any]any{}} }

func (s *baseStore) get(key any) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.kept[key]
	return v, ok
}

func (s *baseStore) put(key, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = v
}

// ofColumns is what f makes of the points of y: once for a Base, unless the context ended
// meanwhile.
func ofColumns[V any](b *builder, key string, f func() V) V {
	if b.base == nil {
		return f()
	}
	if v, ok := b.base.get(key); ok {
		return v.(V)
	}
	v := f()
	if !b.plan.stopped() {
		b.base.put(key, v)
	}
	return v
}
