package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
)

// sparseView is a kernel after a map of each sparse row to a sparse row.
type sparseView struct {
	sparseLeaf
	k   Kernel[data.SparseVec] // on the mapped rows
	key string
	own int // how many parameters the map has
	f   func(data.SparseVec) data.SparseVec
}

func (s sparseView) Eval(x, y data.SparseVec) float64 { return s.k.Eval(s.f(x), s.f(y)) }

func (s sparseView) lower(b *builder, p pair[data.SparseVec]) node {
	return lowerOf(b, s.k, mapped(b, s.f, p, p.key+"|"+s.key))
}

func (s sparseView) lowerGrad(b *builder, p pair[data.SparseVec]) gradNode {
	if s.own > 0 {
		return pairsGrad{valued{s.lower(b, p)}, gradOfPairOf[data.SparseVec](s, p)}
	}
	return lowerGradOf(b, s.k, mapped(b, s.f, p, p.key+"|"+s.key))
}

// CheckPoints asks the inner kernel about the mapped rows.
func (s sparseView) CheckPoints(x data.Points[data.SparseVec]) error {
	if k, ok := s.of.(ARD); ok && len(k.Lengthscales) != s.dim {
		return fault.Errorf("kernel", "%s: %d length-scales for rows of %d columns", k.Name(), len(k.Lengthscales), s.dim)
	}
	return checkPoints(OnSparseVectors(s.k), data.EraseSparse(mapPoints(s.f, x)))
}

// mapped maps the points of a pair, each once.
func mapped(
	b *builder, f func(data.SparseVec) data.SparseVec, p pair[data.SparseVec], key string,
) pair[data.SparseVec] {
	b.row.whole = true
	v := pair[data.SparseVec]{x: mapPoints(f, p.x), same: p.same, key: key, theta: p.theta}
	v.y = v.x
	if !p.same {
		v.y = ofColumns(b, "sparse"+key, func() data.Points[data.SparseVec] { return mapPoints(f, p.y) })
	}
	return v
}

// sparseSource is a metric between sparse rows, as such or, where they are hardly sparse, as
// whole rows.
func sparseSource(b *builder, p pair[data.SparseVec], m Metric) *source {
	b.row.whole = true // the rows are gathered, whether they stay sparse or not
	return b.source(p.key, m, func() *source {
		x := csrOf(p.x)
		y := x
		if !p.same {
			y = ofColumns(b, "csr"+p.key, func() *linalg.CSR { return csrOf(p.y) })
		}
		like, wide := x, false
		if b.base != nil { // the rows have no say in how the columns are kept
			like, wide = y, y.Cols > linalg.MostLike
		}
		if !wide && worthExpanding(like, y) {
			dx := expandRows(x, max(x.Cols, y.Cols))
			dy := dx
			if !p.same {
				dy = ofColumns(b, fmt.Sprint("expanded", dx.Cols, p.key),
					func() linalg.Matrix[float64] { return expandRows(y, dx.Cols) })
			}
			return &source{metric: m, x: dx, y: dy}
		}
		if b.base == nil || x.Cols > y.Cols {
			return &source{metric: m, sparse: newSparsePairs(m, x, y, b.base != nil)}
		}
		columns := ofColumns(b, fmt.Sprint("pairs", m, p.key), func() *sparsePairs { return newSparsePairs(m, y, y, true) })
		return &source{metric: m, sparse: columns.withRows(x)}
	})
}

// csrOf collects sparse rows into one matrix, unless they are the rows of one.
func csrOf(p data.Points[data.SparseVec]) *linalg.CSR {
	if r, ok := p.(interface{ CSR() *data.CSR }); ok {
		return (*linalg.CSR)(r.CSR())
	}
	rows := make([]data.SparseVec, p.Len())
	for i := range rows {
		rows[i] = p.At(i)
	}
	return (*linalg.CSR)(data.SparseOf(rows, sparseDim(p)).CSR())
}

// sparseDim is the dimension the rows are in, at least.
func sparseDim(p data.Points[data.SparseVec]) int {
	if r, ok := p.(interface{ Dim() int }); ok {
		return r.Dim()
	}
	dim := 0
	for i := range p.Len() {
		dim = max(dim, lengthOf(p.At(i)))
	}
	return dim
}

func lengthOf(x data.SparseVec) int {
	if n := len(x.Index); n > 0 {
		return int(x.Index[n-1]) + 1
	}
	return 0
}

func divide(x data.SparseVec, l []float64) data.SparseVec {
	v := make([]float64, len(x.Value))
	for i, c := range x.Index {
		v[i] = x.Value[i] / l[c]
	}
	return data.SparseVec{Index: x.Index, Value: v}
}

// selectColumns is column columns[i] of x at place i.
func selectColumns(x data.SparseVec, columns []int) data.SparseVec {
	var out data.SparseVec
	for i, c := range columns {
		if k, ok := slices.BinarySearch(x.Index, int32(c)); ok {
			out.Index = append(out.Index, int32(i))
			out.Value = append(out.Value, x.Value[k])
		}
	}
	return out
}

// unitLength is x/‖x‖, and 0 for 0.
func unitLength(x data.SparseVec) data.SparseVec {
	v, n := make([]float64, len(x.Value)), norm2(x.Value)
	for i := range v {
		v[i] = x.Value[i] / n
	}
	return data.SparseVec{Index: x.Index, Value: v}
}

// wound winds each coordinate around a circle through the origin: v becomes
// (cos wv - 1, sin wv), and 0 stays 0. Distances are those on the circle around it.
func wound(x data.SparseVec, period float64) data.SparseVec {
	n := len(x.Index)
	out := data.SparseVec{Index: make([]int32, 2*n), Value: make([]float64, 2*n)}
	for i, c := range x.Index {
		a := 2 * math.Pi / period * unwound(x.Value[i], period)
		h := math.Sin(a / 2)
		out.Index[2*i], out.Index[2*i+1] = 2*c, 2*c+1
		out.Value[2*i], out.Value[2*i+1] = -2*h*h, math.Sin(a)
	}
	return out
}

// powersOf is (1, xᵢ, …, xᵢᴹ) of the stored entries.
func powersOf(x data.SparseVec, degree int) data.SparseVec {
	out := data.SparseVec{Index: []int32{0}, Value: []float64{1}}
	for i, c := range x.Index {
		p := 1.0
		for j := range degree {
			p *= x.Value[i]
			out.Index = append(out.Index, 1+c*int32(degree)+int32(j))
			out.Value = append(out.Value, p)
		}
	}
	return out
}
