package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// lift rewrites a tree over vectors as one over sparse rows. The parameters of the result are
// those of k, in the same order.
func lift(k Kernel[Vec], dim int) Kernel[data.SparseVec] {
	leaf := sparseLeaf{k, dim}
	switch k := k.(type) {
	case SumOf[Vec]:
		return SumOf[data.SparseVec]{liftAll(k.Terms, dim)}
	case ProductOf[Vec]:
		return ProductOf[data.SparseVec]{liftAll(k.Factors, dim)}
	case ConstantOf[Vec]:
		return ConstantOf[data.SparseVec](k)
	case ScaleOf[Vec]:
		return ScaleOf[data.SparseVec]{k.Factor, lift(k.Kernel, dim)}
	case PowerOf[Vec]:
		return PowerOf[data.SparseVec]{lift(k.Kernel, dim), k.Exponent}
	case PowersOf[Vec]:
		return PowersOf[data.SparseVec]{lift(k.Kernel, dim), k.Coef, k.Bound, k.Error}
	case ExpOf[Vec]:
		return ExpOf[data.SparseVec]{lift(k.Kernel, dim)}
	case NormalizeOf[Vec]:
		return NormalizeOf[data.SparseVec]{lift(k.Kernel, dim)}
	case SubstituteOf[Vec]:
		return SubstituteOf[data.SparseVec]{k.Outer, lift(k.Kernel, dim)}
	case MultiplyOf[Vec]:
		return MultiplyOf[data.SparseVec]{afterExpanding(dim, k.F), lift(k.Kernel, dim)}
	case ARD:
		return sparseView{leaf, lift(k.Kernel, dim), fmt.Sprint("ard", k.Lengthscales), len(k.Lengthscales),
			func(x data.SparseVec) data.SparseVec { return divide(x, k.Lengthscales) }}
	case OnColumns:
		return sparseView{leaf, lift(k.Kernel, len(k.Columns)), fmt.Sprint("on", k.Columns), 0,
			func(x data.SparseVec) data.SparseVec { return selectColumns(x, k.Columns) }}
	case Periodic:
		p := orOne(k.Period)
		return sparseView{leaf, lift(Gaussian{k.Lengthscale}, 2*dim), fmt.Sprint("circle", p), 1,
			func(x data.SparseVec) data.SparseVec { return wound(x, 2*math.Pi/p) }}
	case Cosine:
		return sparseView{leaf, lift(Linear{}, dim), "unit", 0, unitLength}
	case Monomials:
		return sparseView{leaf, lift(Linear{}, k.FeatureDim(dim)), fmt.Sprint("powers", k.degree()), 0,
			func(x data.SparseVec) data.SparseVec { return powersOf(x, k.degree()) }}
	case GaussianBasis:
		return newSparseBasis(leaf, k.Centers, func(dst, x Vec) { k.Features(dst, x) })
	case SigmoidBasis:
		return newSparseBasis(leaf, k.Centers, func(dst, x Vec) { k.Features(dst, x) })
	case coordinateKernel:
		return sparseCoordinates{leaf, k}
	case AdditiveChiSquare:
		return sparseAdditive{leaf}
	case QuadraticForm:
		return sparseQuadratic{leaf, k}
	case Mahalanobis:
		return PullbackOf[data.SparseVec, Vec]{k.Kernel, k.sparseImage(dim)}
	case Profiled:
		return sparseProfile{leaf, k}
	case expandable:
		return k.onExpanded(dim)
	}
	return expanded{leaf}
}

func liftAll(ks []Kernel[Vec], dim int) []Kernel[data.SparseVec] {
	out := make([]Kernel[data.SparseVec], len(ks))
	for i, k := range ks {
		out[i] = lift(k, dim)
	}
	return out
}

// expandable is a pull-back of vectors, whose map wants a whole row and whose kernel does not.
type expandable interface {
	onExpanded(dim int) Kernel[data.SparseVec]
}

func (k PullbackOf[T, U]) onExpanded(dim int) Kernel[data.SparseVec] {
	return PullbackOf[data.SparseVec, U]{k.Kernel, afterExpanding(dim, any(k.Map).(func(Vec) U))}
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
	return pairGrad(s.of, u, v, dtheta)
}

// CheckPoints asks the kernel about the stored values of each row, with a 0 for all others;
// a kernel that names its columns, or counts them, gets whole rows in one scratch row.
func (s sparseLeaf) CheckPoints(x data.Points[data.SparseVec]) error {
	if _, asks := s.of.(PointChecker[Vec]); !asks {
		return nil
	}
	whole := expandedPoints{x, make(Vec, s.dim)}
	switch s.of.(type) {
	case ChiSquare, AdditiveChiSquare, Intersection, Sobolev, RadialSobolev, Taylor, Binomial:
		for i := range x.Len() {
			v := x.At(i).Value
			if len(v) < s.dim {
				v = append(append(make(Vec, 0, len(v)+1), v...), 0)
			}
			if checkPoints(s.of, data.Points[Vec](data.Slice[Vec]{v})) != nil {
				return checkPoints(s.of, data.Points[Vec](whole)) // to name the row and the column
			}
		}
		return nil
	}
	return checkPoints(s.of, data.Points[Vec](whole))
}

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
