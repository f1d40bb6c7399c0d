// Package data holds what a learner learns from: points of any type, data sets
// with named columns, their encoding, splits and scaling.
//
// Names to know: [Points] is what every learner takes, and [Rows], [RowsOf] and [Slice] make them.
// [Dataset] is a table, [FitEncoder] makes its points, [Holdout] cuts it, [KFold] makes folds,
// [Builtin] reads the sets that are built in, and [Error] says which line, column and row are
// wrong.
//
// A Dataset is a table as a person knows it; an Encoder, fitted once and kept
// with the model, turns it into the points a kernel takes: numbers scaled as
// (x − c)·s, categories as 0/1 features, dates as days and points on circles,
// words weighted by tf-idf
//
//	tf(w) · (ln((1 + n)/(1 + df(w))) + 1)
//
// (G. Salton and C. Buckley, Term-weighting approaches in automatic text
// retrieval, Information Processing & Management 24, 1988). Files are read by
// the packages beneath, and by name with package load; they are apart so that
// a program that only uses kernels does not link every file format.
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

// Take is the entries of v at the places of index; nil where v is nil.
func Take[E any](v []E, index []int) []E {
	if v == nil {
		return nil
	}
	out := make([]E, len(index))
	for i, j := range index {
		out[i] = v[j]
	}
	return out
}
