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

// EraseSource is rows whose points have forgotten their type.
func EraseSource[T any](s Source[T]) Source[any] {
	switch s := any(s).(type) {
	case nil:
		return nil
	case Source[any]:
		return s
	case InMemory[T]:
		return InMemory[any]{EraseBlock(s.all)}
	}
	return erasedSource[T]{s}
}

// SourceOf is rows as those of type U, and whether they are: of their own type, or of what was erased.
func SourceOf[U, T any](s Source[T]) (Source[U], bool) {
	if same, ok := s.(Source[U]); ok {
		return same, true
	}
	switch s := any(s).(type) {
	case erasedSource[U]:
		return s.rows, true
	case InMemory[any]:
		x, ok := Typed[U](s.all.Points)
		if !ok {
			return nil, false
		}
		b := s.all
		return InMemory[U]{Block[U]{First: b.First, Points: x, Targets: b.Targets, Outputs: b.Outputs, Weights: b.Weights}}, true
	}
	return nil, false
}

type erasedSource[T any] struct{ rows Source[T] }

func (s erasedSource[T]) Len() int     { return s.rows.Len() }
func (s erasedSource[T]) Outputs() int { return s.rows.Outputs() }

func (s erasedSource[T]) Pass(ctx context.Context, size int, f func(Block[any]) error) error {
	return s.rows.Pass(ctx, size, func(b Block[T]) error { return f(EraseBlock(b)) })
}
