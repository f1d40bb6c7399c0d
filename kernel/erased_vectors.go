package kernel

import "github.com/mercer-ml/mercer/data"

// Kernels on vectors are what most kernels are. The functions here have no type parameter of
// theirs, or do no more than ask whether T is theirs, so that a package that erases one does not
// compile all that erased kernels can do once more.

// OnVectors is Erase of a kernel on vectors.
//
//go:noinline
func OnVectors(k Kernel[Vec]) Kernel[any] { return Erase(k) }

// OnSparseVectors is Erase of a kernel on sparse vectors.
//
//go:noinline
func OnSparseVectors(k Kernel[data.SparseVec]) Kernel[any] { return Erase(k) }

// FromVectors is a kernel on vectors as one on points of type T, which is theirs or any.
func FromVectors[T any](k Kernel[Vec]) Kernel[T] {
	if same, ok := k.(Kernel[T]); ok {
		return same
	}
	return any(OnVectors(k)).(Kernel[T])
}

// FromSparse is a kernel on sparse vectors as one on points of type T, which is theirs or any.
func FromSparse[T any](k Kernel[data.SparseVec]) Kernel[T] {
	if same, ok := k.(Kernel[T]); ok {
		return same
	}
	return any(OnSparseVectors(k)).(Kernel[T])
}
