package linalg

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// MulDense sets dst = m·x, dst Rows×k for x Cols×k: sixteen columns at a time, as far as there are
// so many, or enough entries that laying the values of fewer side by side pays, and entry by entry
// for the rest. Either way the entries of a row are summed in their order.
func (m *CSR) MulDense(t int, dst, x Matrix[float64]) {
	if dst.Rows != m.Rows || x.Rows != m.Cols || dst.Cols != x.Cols {
		panic(fmt.Sprintf("linalg: sparse %d×%d times %d×%d into %d×%d", m.Rows, m.Cols, x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	const lanes = simd.SparseLanes
	done := 0
	least := lanes / 2
	if m.NNZ() >= 8*m.Cols { // a column each is a call for an entry, which costs as much as sixteen lanes do
		least = 2
	}
	if m.NNZ() >= 2*m.Cols && m.NNZ() > 0 {
		for ; dst.Cols-done >= least; done = min(done+lanes, dst.Cols) {
			end := min(done+lanes, dst.Cols)
			m.mulLanes(t, dst.Slice(0, m.Rows, done, end), x.Slice(0, m.Cols, done, end))
		}
	}
	if done < dst.Cols {
		m.mulEntries(t, dst.Slice(0, m.Rows, done, dst.Cols), x.Slice(0, m.Cols, done, dst.Cols))
	}
}

// mulLanes is MulDense for up to sixteen columns (simd.SparseRows64).
func (m *CSR) mulLanes(t int, dst, x Matrix[float64]) {
	const lanes, strip = simd.SparseLanes, 256
	spread := x.Data
	if x.Stride != lanes || x.Cols != lanes {
		room := borrow[float64](m.Cols * lanes)
		defer giveBack(room)
		spread = (*room)[:m.Cols*lanes]
		par.For(t, m.Cols, 1024, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				clear(spread[j*lanes+copy(spread[j*lanes:(j+1)*lanes], x.Row(j)) : (j+1)*lanes])
			}
		})
	}
	par.For(t, m.Rows, strip, func(lo, hi int) {
		if dst.Stride == lanes && dst.Cols == lanes {
			simd.SparseRows64(m.Ptr[lo:hi+1], m.Index, m.Value, spread, dst.Data[lo*lanes:hi*lanes])
			return
		}
		var sums [strip * lanes]float64
		simd.SparseRows64(m.Ptr[lo:hi+1], m.Index, m.Value, spread, sums[:])
		for i := lo; i < hi; i++ {
			copy(dst.Row(i), sums[(i-lo)*lanes:])
		}
	})
}

// Lanes is the columns that MulLanes takes.
const Lanes = simd.SparseLanes

// MulLanes sets dst = m·x for Lanes columns that lie next to one another, and calls then for each
// strip of rows while they are in cache.
func (m *CSR) MulLanes(t int, dst, x []float64, then func(lo, hi int)) {
	if len(dst) != m.Rows*Lanes || len(x) != m.Cols*Lanes {
		panic(fmt.Sprintf("linalg: sparse %d×%d times %d numbers into %d, of %d columns", m.Rows, m.Cols, len(x), len(dst),
			Lanes))
	}
	const strip = 128
	par.For(t, m.Rows, strip, func(lo, hi int) {
		simd.SparseRows64(m.Ptr[lo:hi+1], m.Index, m.Value, x, dst[lo*Lanes:hi*Lanes])
		then(lo, hi)
	})
}

// mulEntries is MulDense, entry by entry.
func (m *CSR) mulEntries(t int, dst, x Matrix[float64]) {
	par.For(t, m.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			index, value := m.Row(i)
			row := dst.Row(i)
			if len(row) == 1 {
				row[0] = gatherDot(index, value, x.Data, x.Stride)
				continue
			}
			clear(row)
			for k, c := range index {
				simd.Axpy(value[k], x.Row(int(c)), row)
			}
		}
	})
}

// gatherDot is Σₖ value[k]·x[stride·index[k]], in four sums to hide the
// latency of the additions.
func gatherDot(index []int32, value, x []float64, stride int) float64 {
	var s0, s1, s2, s3 float64
	value = value[:len(index)]
	k := 0
	for ; k+4 <= len(index); k += 4 {
		s0 += value[k] * x[int(index[k])*stride]
		s1 += value[k+1] * x[int(index[k+1])*stride]
		s2 += value[k+2] * x[int(index[k+2])*stride]
		s3 += value[k+3] * x[int(index[k+3])*stride]
	}
	for ; k < len(index); k++ {
		s0 += value[k] * x[int(index[k])*stride]
	}
	return (s0 + s1) + (s2 + s3)
}

// MulTransDense sets dst = mᵀ·x, dst Cols×k for x Rows×k. Where many such
// products are wanted, take T once and use MulDense of it.
//
// The rows are cut into pieces by the shape alone, each with a result of its
// own, added in order: so many that the work on the entries outweighs the
// adding, eight at most.
func (m *CSR) MulTransDense(t int, dst, x Matrix[float64]) {
	if dst.Rows != m.Cols || x.Rows != m.Rows || dst.Cols != x.Cols {
		panic(fmt.Sprintf("linalg: transposed sparse %d×%d times %d×%d into %d×%d", m.Rows, m.Cols, x.Rows, x.Cols, dst.Rows,
			dst.Cols))
	}
	if m.Cols == 0 || x.Cols == 0 {
		return
	}
	pieces := max(1, min(8, m.NNZ()/(4*m.Cols), m.Rows))
	parts := make([]Matrix[float64], pieces)
	par.For(t, pieces, 1, func(p, _ int) {
		parts[p] = dst
		if p > 0 {
			parts[p] = New[float64](dst.Rows, dst.Cols)
		} else {
			for i := range dst.Rows {
				clear(dst.Row(i))
			}
		}
		for i := p * m.Rows / pieces; i < (p+1)*m.Rows/pieces; i++ {
			index, value := m.Row(i)
			row := x.Row(i)
			for k, c := range index {
				simd.Axpy(value[k], row, parts[p].Row(int(c)))
			}
		}
	})
	for _, part := range parts[1:] {
		for i := range dst.Rows {
			simd.Axpy(1, part.Row(i), dst.Row(i))
		}
	}
}
