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
	if len(index) == 0 {
		return Gather(x, index)
	}
	switch p := any(x).(type) {
	case keeper[T]:
		return p.own(index)
	case DenseRows, SparseRows, *SparseRows: // Gather copies their rows
	case *Numbered[T]: // owns the whole
	case Points[[]float64]:
		d := len(p.At(index[0]))
		m := linalg.New[float64](len(index), d)
		for a, i := range index {
			row := p.At(i)
			if len(row) != d {
				return any(deepCopy(p, index, slices.Clone[[]float64])).(Points[T])
			}
			copy(m.Row(a), row)
		}
		return any(RowsOf(m)).(Points[T])
	case Points[SparseVec]:
		return any(deepCopy(p, index, func(v SparseVec) SparseVec {
			return SparseVec{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)}
		})).(Points[T])
	}
	return Gather(x, index)
}

func deepCopy[T any](x Points[T], index []int, copyOf func(T) T) Points[T] {
	s := make(Slice[T], len(index))
	for a, i := range index {
		s[a] = copyOf(x.At(i))
	}
	return s
}
