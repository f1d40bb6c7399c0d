package data

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Own copies points into storage of its own, so that a model is not affected
// by later changes to the data it was made from. Vectors given one by one are
// collected into a matrix, where fast paths see them; points of other types
// are taken to be immutable, as strings are.
func Own[T any](x Points[T]) Points[T] {
	all := par.Indices(0, x.Len())
	return OwnSubset(x, all)
}

// OwnSubset is Own of the points x.At(index[0]), x.At(index[1]), ….
func OwnSubset[T any](x Points[T], index []int) Points[T] {
	if k, ok := x.(keeper[T]); ok && len(index) > 0 {
		return k.own(index)
	}
	if own := ownVectors(x, index); own != nil {
		return own.(Points[T])
	}
	return Gather(x, index) // which copies the rows of a matrix, and leaves numbered points their whole
}

// ownVectors is a copy of vectors that are given one by one, and nil for other points. It has no
// type parameter, so that who owns other points does not compile it again.
//
//go:noinline
func ownVectors(x any, index []int) any {
	if len(index) == 0 {
		return nil
	}
	switch p := x.(type) {
	case DenseRows, SparseRows, *SparseRows, *Numbered[[]float64], *Numbered[SparseVec]:
		return nil
	case Points[[]float64]:
		d := len(p.At(index[0]))
		m := linalg.New[float64](len(index), d)
		for a, i := range index {
			row := p.At(i)
			if len(row) != d {
				return deepCopy(p, index, slices.Clone[[]float64])
			}
			copy(m.Row(a), row)
		}
		return RowsOf(m)
	case Points[SparseVec]:
		return deepCopy(p, index, func(v SparseVec) SparseVec {
			return SparseVec{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)}
		})
	}
	return nil
}

func deepCopy[T any](x Points[T], index []int, copyOf func(T) T) Points[T] {
	s := make(Slice[T], len(index))
	for a, i := range index {
		s[a] = copyOf(x.At(i))
	}
	return s
}
