// Package data holds what a learner learns from: points of any type, data sets
// with named columns, their encoding, splits and scaling, and the readers of
// file formats.
package data

// Points is a finite sequence of objects of type T: rows of a matrix, strings,
// graphs, indices into a precomputed Gram matrix.
type Points[T any] interface {
	Len() int
	At(i int) T
}

// Slice is the plainest Points: a Go slice.
type Slice[T any] []T

// Len returns the number of points.
func (s Slice[T]) Len() int { return len(s) }

// At returns point i.
func (s Slice[T]) At(i int) T { return s[i] }

// Indices is the points 0, 1, …, n-1, for kernels given as a precomputed Gram
// matrix.
type Indices int

// Len returns the number of points.
func (n Indices) Len() int { return int(n) }

// At returns i.
func (n Indices) At(i int) int { return i }

// gatherer is implemented by Points that can collect a subset into storage as
// good as their own.
type gatherer[T any] interface {
	gather(index []int) Points[T]
}

// Gather returns the points p.At(index[0]), p.At(index[1]), …. Matrix-backed
// points stay matrix-backed (their rows are copied), so that fast paths that
// need a matrix still see one.
func Gather[T any](p Points[T], index []int) Points[T] {
	if g, ok := p.(gatherer[T]); ok {
		return g.gather(index)
	}
	s := make(Slice[T], len(index))
	for i, j := range index {
		s[i] = p.At(j)
	}
	return s
}
