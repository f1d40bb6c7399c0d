package kernel

import (
	"github.com/mercer-ml/mercer/data"
)

// lift rewrites a tree over vectors as one over sparse rows. The parameters of the result are
// those of k, in the same order.
func lift(k Kernel[Vec], dim int) Kernel[data.SparseVec] {
	if o, ok := operatorOf(k); ok {
		return o.sparse(liftAll(typedAll[Vec](o.parts()), dim), dim)
	}
	leaf := sparseLeaf{k, dim}
	switch k := k.(type) {
	case sparsable:
		return k.sparse(leaf)
	case coordinateKernel:
		return sparseCoordinates{leaf, k}
	case Profiled:
		return sparseProfile{leaf, k}
	}
	return expanded{leaf}
}

// sparsable is a kernel on vectors that knows a form of its own for sparse rows.
type sparsable interface {
	Kernel[Vec]
	sparse(leaf sparseLeaf) Kernel[data.SparseVec]
}

func liftAll(ks []Kernel[Vec], dim int) []Kernel[data.SparseVec] {
	out := make([]Kernel[data.SparseVec], len(ks))
	for i, k := range ks {
		out[i] = lift(k, dim)
	}
	return out
}

// afterExpanding is f of the whole row, which lives as long as the call.
func afterExpanding[U any](dim int, f func(Vec) U) func(data.SparseVec) U {
	return func(x data.SparseVec) U {
		row := make(Vec, dim)
		expand(row, x)
		return f(row)
	}
}

// sparseLeaf is what all leaves over sparse rows have in common: the kernel on vectors
// that they equal, its parameters, and the derivatives of a pair, for which two rows are expanded.
type sparseLeaf struct {
	of  Kernel[Vec]
	dim int
}

// Params are those of the kernel on vectors.
func (s sparseLeaf) Params() []Param { return Params(s.of) }

// With lifts the kernel with other parameters.
func (s sparseLeaf) With(theta []float64) Kernel[data.SparseVec] {
	return lift(withOne(s.of, theta), s.dim)
}

func (s sparseLeaf) pairGrad(x, y data.SparseVec, dtheta []float64) float64 {
	u, v := make(Vec, s.dim), make(Vec, s.dim)
	expand(u, x)
	expand(v, y)
	return pairGrad(OnVectors(s.of), u, v, dtheta)
}

// CheckPoints asks the kernel about the stored values of each row, with a 0 for all others;
// a kernel that names its columns, or counts them, gets whole rows in one scratch row.
func (s sparseLeaf) CheckPoints(x data.Points[data.SparseVec]) error {
	if _, asks := s.of.(PointChecker[Vec]); !asks {
		return nil
	}
	whole := expandedPoints{x, make(Vec, s.dim)}
	if _, ok := s.of.(entrywise); ok {
		for i := range x.Len() {
			v := x.At(i).Value
			if len(v) < s.dim {
				v = append(append(make(Vec, 0, len(v)+1), v...), 0)
			}
			if checkPoints(OnVectors(s.of), data.EraseVectors(data.Slice[Vec]{v})) != nil {
				return checkPoints(OnVectors(s.of), data.EraseVectors(whole)) // to name the row and the column
			}
		}
		return nil
	}
	return checkPoints(OnVectors(s.of), data.EraseVectors(whole))
}

// entrywise is a kernel whose CheckPoints asks the same of the entries of a row wherever they
// stand.
type entrywise interface{ checksEntries() }

// expandedPoints shows sparse rows one at a time as vectors; each is gone when the next is
// asked for.
type expandedPoints struct {
	p       data.Points[data.SparseVec]
	scratch Vec
}

func (e expandedPoints) Len() int { return e.p.Len() }
func (e expandedPoints) At(i int) Vec {
	expand(e.scratch, e.p.At(i))
	return e.scratch
}

func expand(dst Vec, x data.SparseVec) {
	clear(dst)
	for i, c := range x.Index {
		dst[c] = x.Value[i]
	}
}
