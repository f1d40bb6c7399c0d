package rkhs

// Erase is p with functions of points that have forgotten their type.
func (p Plain[T]) Erase() Plain[any] {
	out := Plain[any]{Kind: p.Kind, Numbers: p.Numbers, Arrays: p.Arrays, Texts: p.Texts}
	for _, f := range p.Funcs {
		out.Funcs = append(out.Funcs, Erase(f))
	}
	return out
}

// ErasePlainer is a fitted thing whose functions forget the type of their points when it is
// written down.
func ErasePlainer[T any](of Plainer[T]) Plainer[any] {
	if same, ok := of.(Plainer[any]); ok {
		return same
	}
	return erasedPlainer[T]{of}
}

type erasedPlainer[T any] struct{ of Plainer[T] }

func (e erasedPlainer[T]) Plain() (Plain[any], error) {
	p, err := e.of.Plain()
	return p.Erase(), err
}
