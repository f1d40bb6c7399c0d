package data

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/linalg"
)

// Own copies points into storage of its own, so that a model is not affected
// by later changes to the data it was made from. Vectors given one by one are
// collected into a matrix, where fast paths see them; points of other types
// are taken to be immutable, as strings are.
func Own[T any](x Points[T]) Points[T] {
	all := make([]int, x.Len())
	for i := range all {
		all[i] = i
	}
	if len(all) == 0 {
		return Gather(x, all)
	}
	switch p := any(x).(type) {
	case DenseRows, SparseRows, *SparseRows:
	case Points[[]float64]:
		d := len(p.At(0))
		m := linalg.New[float64](len(all), d)
		for i := range all {
			row := p.At(i)
			if len(row) != d {
				return any(deepCopy(p, slices.Clone[[]float64])).(Points[T])
			}
			copy(m.Row(i), row)
		}
		return any(RowsOf(m)).(Points[T])
	case Points[SparseVec]:
		return any(deepCopy(p, func(v SparseVec) SparseVec {
			return SparseVec{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)}
		})).(Points[T])
	}
	return Gather(x, all)
}

func deepCopy[T any](x Points[T], copyOf func(T) T) Points[T] {
	s := make(Slice[T], x.Len())
	for i := range s {
		s[i] = copyOf(x.At(i))
	}
	return s
}
