package learn

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
)

// ownCopy gathers the points of index into storage of its own, so that a model
// is not affected by changes to the training data. Vectors given one by one
// are collected into a matrix, where fast paths see them. Points of other types are taken to be
// immutable, as strings are.
func ownCopy[T any](x data.Points[T], index []int) data.Points[T] {
	if len(index) == 0 {
		return data.Gather(x, index)
	}
	switch first := any(x.At(index[0])).(type) {
	case []float64:
		if _, ok := any(x).(data.DenseRows); ok {
			return data.Gather(x, index)
		}
		m := linalg.New[float64](len(index), len(first))
		for a, i := range index {
			row := any(x.At(i)).([]float64)
			if len(row) != len(first) {
				return deepSlice(x, index)
			}
			copy(m.Row(a), row)
		}
		return any(data.RowsOf(m)).(data.Points[T])
	case data.SparseVec:
		if _, ok := any(x).(data.SparseRows); ok {
			return data.Gather(x, index)
		}
		return deepSlice(x, index)
	}
	return data.Gather(x, index)
}

// deepSlice copies vectors one by one.
func deepSlice[T any](x data.Points[T], index []int) data.Points[T] {
	out := make(data.Slice[T], len(index))
	for a, i := range index {
		switch v := any(x.At(i)).(type) {
		case []float64:
			out[a] = any(slices.Clone(v)).(T)
		case data.SparseVec:
			out[a] = any(data.SparseVec{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)}).(T)
		}
	}
	return out
}
