package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// sparseProfile is κ of a metric between sparse rows.
type sparseProfile struct {
	sparseLeaf
	k Profiled
}

func (s sparseProfile) Eval(x, y data.SparseVec) float64 {
	m := [1]float64{sparseBetween(s.k.Metric(), x, y)}
	s.k.Profile(m[:])
	return m[0]
}

func (s sparseProfile) lower(b *builder, p pair[data.SparseVec]) node {
	return newProfileNode(sparseSource(b, p, s.k.Metric()), s.k)
}

func (s sparseProfile) lowerGrad(b *builder, p pair[data.SparseVec]) gradNode {
	if k, ok := s.k.(Differentiable); ok {
		return newProfileGrad(sparseSource(b, p, k.Metric()), k, pair[Vec]{theta: p.theta})
	}
	return pairsGrad{valued{s.lower(b, p)}, gradOfPairOf[data.SparseVec](s, p)}
}

// sparseCoordinates is Π f(xᵢ, yᵢ) over the columns that either row has, times f(0, 0) for
// every other.
type sparseCoordinates struct {
	sparseLeaf
	k coordinateKernel
}

func (s sparseCoordinates) Eval(x, y data.SparseVec) float64 {
	product, met := 1.0, 0
	eachColumn(x, y, func(_ int32, v, w float64) {
		product *= s.k.coordinate(v, w)
		met++
	})
	if met < s.dim {
		if zero := s.k.coordinate(0, 0); zero != 1 {
			product *= intPower(zero, s.dim-met)
		}
	}
	return product
}

// lower merges the stored entries of each pair of rows: no product over all columns can do
// with less than the columns that either has.
func (s sparseCoordinates) lower(b *builder, p pair[data.SparseVec]) node {
	return pairNodeOf[data.SparseVec](b, s, p)
}

// sparseAdditive is AdditiveChiSquare, from the χ² distance and the sums of the rows.
type sparseAdditive struct{ sparseLeaf }

func (sparseAdditive) Eval(x, y data.SparseVec) float64 {
	s := 0.0
	eachColumn(x, y, func(_ int32, v, w float64) {
		if v*w != 0 && v+w != 0 {
			s += 2 * v * w / (v + w)
		}
	})
	return s
}

func (s sparseAdditive) lower(b *builder, p pair[data.SparseVec]) node {
	l, r := perPointOf(b, p, func(x data.SparseVec) float64 { return half(x.Value) })
	return offsetNode{newProfileNode(sparseSource(b, p, ChiSqDist), metricItself(ChiSqDist)), -0.5, l, r}
}

// sparseBasis is Σᵢ φ(xᵢ)ᵀφ(yᵢ) for a basis with φ(0) = z ≠ 0. With ψ = φ - z, which is 0 at
// 0, and a(x) = Σᵢ zᵀψ(xᵢ) it is ⟨ψ(x), ψ(y)⟩ + a(x) + a(y) + d‖z‖².
type sparseBasis struct {
	sparseLeaf
	centers  []float64
	features func(dst, x Vec)
	zero     []float64 // z
}

func newSparseBasis(leaf sparseLeaf, centers []float64, features func(dst, x Vec)) sparseBasis {
	s := sparseBasis{leaf, centers, features, make([]float64, len(centers))}
	features(s.zero, Vec{0})
	return s
}

// image is ψ of a row: a column for each column and centre.
func (s sparseBasis) image(x data.SparseVec) data.SparseVec {
	m := len(s.centers)
	out := data.SparseVec{Index: make([]int32, len(x.Index)*m), Value: make([]float64, len(x.Index)*m)}
	s.features(out.Value, x.Value)
	for i, c := range x.Index {
		for j, z := range s.zero {
			out.Index[i*m+j] = c*int32(m) + int32(j)
			out.Value[i*m+j] -= z
		}
	}
	return out
}

// own is a(x) + ½d‖z‖² for an image.
func (s sparseBasis) own(u data.SparseVec) float64 {
	a := 0.5 * float64(s.dim) * Inner.Between(s.zero, s.zero)
	for i, v := range u.Value {
		a += v * s.zero[i%len(s.zero)]
	}
	return a
}

func (s sparseBasis) Eval(x, y data.SparseVec) float64 {
	u, v := s.image(x), s.image(y)
	return sparseBetween(Inner, u, v) + s.own(u) + s.own(v)
}

func (s sparseBasis) lower(b *builder, p pair[data.SparseVec]) node {
	v := mapped(b, s.image, p, b.opaqueKey(p.key))
	l, r := perPointOf(b, v, s.own)
	return offsetNode{newProfileNode(sparseSource(b, v, Inner), Linear{}), 1, l, r}
}

// sparseQuadratic is xᵀAy. Ay is dense whatever y is: it is made once for each y, and a row
// of the Gram matrix adds up as many rows of AY as x has entries.
type sparseQuadratic struct {
	sparseLeaf
	k QuadraticForm
}

func (s sparseQuadratic) Eval(x, y data.SparseVec) float64 {
	sum := 0.0
	for i, c := range x.Index {
		for j, d := range y.Index {
			sum += x.Value[i] * s.k.A.At(int(c), int(d)) * y.Value[j]
		}
	}
	return sum
}

func (s sparseQuadratic) lower(_ *builder, p pair[data.SparseVec]) node {
	ay := linalg.New[float64](s.dim, p.y.Len())
	for b := range p.y.Len() {
		y := p.y.At(b)
		for c := range s.dim {
			sum := 0.0
			for j, d := range y.Index {
				sum += s.k.A.At(c, int(d)) * y.Value[j]
			}
			ay.Set(c, b, sum)
		}
	}
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			row := dst.Row(a)
			clear(row)
			x := p.x.At(i + a)
			for k, c := range x.Index {
				simd.Axpy64(x.Value[k], ay.Row(int(c))[j:j+len(row)], row)
			}
		}
	}}
}

// sparseImage is L⁻¹x by forward substitution, in place.
func (k Mahalanobis) sparseImage(dim int) func(data.SparseVec) Vec {
	apply := k.embedding().apply
	return func(x data.SparseVec) Vec {
		u := make(Vec, dim)
		expand(u, x)
		apply(u, u) // entry i is read before it is written
		return u
	}
}

// expanded is a kernel known by Eval alone.
type expanded struct{ sparseLeaf }

func (e expanded) Eval(x, y data.SparseVec) float64 {
	u, v := make(Vec, e.dim), make(Vec, e.dim)
	expand(u, x)
	expand(v, y)
	return e.of.Eval(u, v)
}

// expandedTile is how many numbers are spelt out at a time on each side of a tile.
const expandedTile = 1 << 17

// lower expands a few rows at a time, and lets the kernel's own fast path have them.
func (e expanded) lower(b *builder, p pair[data.SparseVec]) node {
	side, ctx, of := max(expandedTile/max(e.dim, 1), 1), b.plan.ctx, OnVectors(e.of)
	rows := func(x data.Points[data.SparseVec], lo, n int) data.DenseRows {
		m := linalg.New[float64](n, e.dim)
		for a := range n {
			expand(m.Row(a), x.At(lo+a))
		}
		return data.RowsOf(m)
	}
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for r := 0; r < dst.Rows; r += side {
			r1 := min(r+side, dst.Rows)
			x := rows(p.x, i+r, r1-r)
			for c := 0; c < dst.Cols; c += side {
				c1 := min(c+side, dst.Cols)
				y := rows(p.y, j+c, c1-c)
				newPlan(ctx, of, data.EraseVectors(x), data.EraseVectors(y)).Tile(blas64.General(dst.Slice(r, r1, c, c1)), 0, 0)
			}
		}
	}}
}

// norm2 is the Euclidean norm without overflow, and 1 for 0.
func norm2(x []float64) float64 {
	big := 0.0
	for _, v := range x {
		big = max(big, math.Abs(v))
	}
	if big == 0 {
		return 1
	}
	s := 0.0
	for _, v := range x {
		s += (v / big) * (v / big)
	}
	return big * math.Sqrt(s)
}
