package data

// Vectors are what most points are. The functions here have no type parameter of theirs, or do no
// more than ask whether T is theirs, so that a package that erases vectors does not compile all
// that erased points can do once more. They are not inlined for the same reason: what is inlined is
// compiled where it is called.

// EraseVectors is Erase of vectors.
//
//go:noinline
func EraseVectors(p Points[[]float64]) Points[any] { return Erase(p) }

// EraseSparse is Erase of sparse vectors.
//
//go:noinline
func EraseSparse(p Points[SparseVec]) Points[any] { return Erase(p) }

// VectorsOf is points as vectors, and whether they are: of their own type, or of what was erased.
func VectorsOf[T any](p Points[T]) (Points[[]float64], bool) {
	if same, ok := p.(Points[[]float64]); ok {
		return same, true
	}
	e, ok := p.(Points[any])
	if !ok {
		return nil, false
	}
	return erasedVectors(e)
}

//go:noinline
func erasedVectors(p Points[any]) (Points[[]float64], bool) { return Typed[[]float64](p) }

// SparseOfPoints is points as sparse vectors, and whether they are: of their own type, or of what
// was erased.
func SparseOfPoints[T any](p Points[T]) (Points[SparseVec], bool) {
	if same, ok := p.(Points[SparseVec]); ok {
		return same, true
	}
	e, ok := p.(Points[any])
	if !ok {
		return nil, false
	}
	return erasedSparse(e)
}

//go:noinline
func erasedSparse(p Points[any]) (Points[SparseVec], bool) { return Typed[SparseVec](p) }

// FromVectors is vectors as points of type T, which is theirs or any.
func FromVectors[T any](p Points[[]float64]) Points[T] {
	if same, ok := p.(Points[T]); ok {
		return same
	}
	return any(EraseVectors(p)).(Points[T])
}

// FromSparse is sparse vectors as points of type T, which is theirs or any.
func FromSparse[T any](p Points[SparseVec]) Points[T] {
	if same, ok := p.(Points[T]); ok {
		return same
	}
	return any(EraseSparse(p)).(Points[T])
}

// MustVectors is points that the caller knows to be vectors, of their own type or of what was
// erased. It panics where they are not.
func MustVectors[T any](p Points[T]) Points[[]float64] {
	v, ok := VectorsOf(p)
	if !ok {
		panic("data: points that are no vectors")
	}
	return v
}
