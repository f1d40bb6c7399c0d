package kernel

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// sparseMoved is a kernel of the difference of two images of a linear map, on sparse rows: rows that
// lie together far from the origin are moved before they are mapped, as vectors are (embedding). What
// is moved are columns in which every row has an entry, so that rows stay as sparse as they were.
type sparseMoved struct {
	sparseLeaf
	k Kernel[data.SparseVec] // with the map
}

// movedFirst is k, of the embedding e, where points may be moved without changing it.
func movedFirst(leaf sparseLeaf, e embedding, k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	if !e.linear || !e.movable() {
		return k
	}
	return sparseMoved{leaf, k}
}

func (s sparseMoved) Eval(x, y data.SparseVec) float64 {
	x, y = togetherSparse(x, y)
	return s.k.Eval(x, y)
}

func (s sparseMoved) lower(b *builder, p pair[data.SparseVec]) node {
	return lowerOf(b, s.k, s.pair(b, p))
}

func (s sparseMoved) lowerGrad(b *builder, p pair[data.SparseVec]) gradNode {
	return lowerGradOf(b, s.k, s.pair(b, p))
}

// CheckPoints asks about the rows where they are.
func (s sparseMoved) CheckPoints(x data.Points[data.SparseVec]) error {
	return checkPoints(OnSparseVectors(s.k), data.EraseSparse(x))
}

// pair is the points of a pair moved to the origin that their columns say.
func (s sparseMoved) pair(b *builder, p pair[data.SparseVec]) pair[data.SparseVec] {
	c := ofColumns(b, "origin"+p.key, func() data.SparseVec { return sparseOrigin(p.y) })
	if len(c.Index) == 0 {
		return p
	}
	return mapped(b, func(x data.SparseVec) data.SparseVec { return minus(x, c) }, p, p.key+"|moved")
}

// sparseOrigin is the first row in those columns in which all rows have entries, far from 0 and near
// each other.
func sparseOrigin(points data.Points[data.SparseVec]) data.SparseVec {
	if points.Len() == 0 {
		return data.SparseVec{}
	}
	c := data.SparseVec{}
	first := points.At(0)
	for a, v := range first.Value {
		if v != 0 && !math.IsInf(v, 0) {
			c.Index, c.Value = append(c.Index, first.Index[a]), append(c.Value, v)
		}
	}
	for i := 1; i < points.Len() && len(c.Index) > 0; i++ {
		x, b, left := points.At(i), 0, 0
		for a, column := range c.Index {
			for b < len(x.Index) && x.Index[b] < column {
				b++
			}
			if b < len(x.Index) && x.Index[b] == column && near(x.Value[b], c.Value[a]) {
				c.Index[left], c.Value[left] = column, c.Value[a]
				left++
			}
		}
		c.Index, c.Value = c.Index[:left], c.Value[:left]
	}
	return c
}

// togetherSparse is two rows moved to the origin in the columns where that keeps digits.
func togetherSparse(x, y data.SparseVec) (data.SparseVec, data.SparseVec) {
	var u, v data.SparseVec
	some := false
	eachColumn(x, y, func(column int32, a, b float64) {
		if near(a, b) {
			a, b, some = a-b, 0, true
		}
		if a != 0 {
			u.Index, u.Value = append(u.Index, column), append(u.Value, a)
		}
		if b != 0 {
			v.Index, v.Value = append(v.Index, column), append(v.Value, b)
		}
	})
	if !some {
		return x, y
	}
	return u, v
}

// minus is x - c, with an entry wherever either has one.
func minus(x, c data.SparseVec) data.SparseVec {
	n := len(x.Index) + len(c.Index)
	out := data.SparseVec{Index: slices.Grow([]int32(nil), n), Value: slices.Grow([]float64(nil), n)}
	eachColumn(x, c, func(column int32, v, w float64) {
		out.Index, out.Value = append(out.Index, column), append(out.Value, v-w)
	})
	return out
}
