package data

import "context"

// EraseBlock is a block whose points have forgotten their type.
func EraseBlock[T any](b Block[T]) Block[any] {
	return Block[any]{First: b.First, Points: Erase(b.Points), Targets: b.Targets, Outputs: b.Outputs, Weights: b.Weights}
}

// TypedBlock is a block of points that are of type T. It panics where they are not.
func TypedBlock[T any](b Block[any]) Block[T] {
	x, ok := Typed[T](b.Points)
	if !ok {
		panic("data: a block of points of another type")
	}
	return Block[T]{First: b.First, Points: x, Targets: b.Targets, Outputs: b.Outputs, Weights: b.Weights}
}

// EraseVectorSource is rows of vectors whose points have forgotten their type.
func EraseVectorSource(s Source[[]float64]) Source[any] {
	switch s := s.(type) {
	case nil:
		return nil
	case InMemory[[]float64]:
		return InMemory[any]{EraseBlock(s.all)}
	}
	return erasedSource{s}
}

// VectorSource is rows as vectors, and whether they are: of their own type, or of what was erased.
func VectorSource[T any](s Source[T]) (Source[[]float64], bool) {
	if same, ok := s.(Source[[]float64]); ok {
		return same, true
	}
	e, ok := s.(Source[any])
	if !ok {
		return nil, false
	}
	return vectorSource(e)
}

//go:noinline
func vectorSource(s Source[any]) (Source[[]float64], bool) {
	switch s := s.(type) {
	case erasedSource:
		return s.rows, true
	case InMemory[any]:
		if _, ok := VectorsOf(s.all.Points); ok {
			return InMemory[[]float64]{TypedBlock[[]float64](s.all)}, true
		}
	}
	return nil, false
}

type erasedSource struct{ rows Source[[]float64] }

func (s erasedSource) Len() int     { return s.rows.Len() }
func (s erasedSource) Outputs() int { return s.rows.Outputs() }

func (s erasedSource) Pass(ctx context.Context, size int, f func(Block[any]) error) error {
	return s.rows.Pass(ctx, size, func(b Block[[]float64]) error { return f(EraseBlock(b)) })
}
