package svm

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
)

// mostWhole is the most points of several machines that share all of K. One product of all rows
// costs less than the same rows a few at a time, which are packed and gathered for each request:
// many machines of few points would spend most of their time on that. A machine alone is ahead
// with the rows of its support vectors, on 500 points of two classes easily told apart by a third.
const mostWhole = 4096

// share makes what several machines have in common: all of K where there are few points and room
// for it, else the blocks that ends cut. It takes that from the budget. Kernels whose tiles cannot
// be cut (those between objects) are dear by the entry: they are asked for what is needed.
func (m *kernelMatrix) share(ctx context.Context, machines int, ends []int, o *Options) error {
	if machines == 1 || o.Columns == Float64Columns {
		return nil
	}
	n := m.x.Len()
	bytes := 4 * int64(n) * int64(n)
	if _, ok := m.tiles.(kernel.Selector); !ok || n > mostWhole || bytes > o.Bytes/4 {
		m.shareBlocks(ends, o)
		return nil
	}
	o.Bytes -= bytes
	m.whole = linalg.New[float32](n, solve.PaddedStride(n))
	m.whole.Cols = n // what is beyond stays 0
	if err := fillSymmetric(ctx, o.Threads, m.whole, m.tiles); err != nil {
		return err
	}
	par.For(few(o.Threads, m.whole), n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			simd.FlushTiny(m.whole.Row(i))
		}
	})
	return nil
}

// mostGathered is the most points of a machine whose part of K is copied out as a whole: it then
// lies together, near the processor, and no row has to be asked for.
const mostGathered = 1024

// gathered is the part of K of the points of index, in memory that machines use one after another.
// free gives it back.
func (m *kernelMatrix) gathered(index []int) (rows *solve.LazyRows, free func()) {
	n, width := len(index), solve.PaddedStride(len(index))
	store, _ := m.store.Get().(*[]float32)
	if store == nil || cap(*store) < n*width {
		fresh := linalg.New[float32](n, width).Data
		store = &fresh
	}
	k := linalg.Matrix[float32]{Rows: n, Cols: n, Stride: width, Data: (*store)[:n*width]}
	runs := findRuns(index)
	for a, p := range index {
		from, to := m.whole.Row(p), k.Data[a*width:(a+1)*width]
		for _, r := range runs {
			copy(to[r.here:r.here+r.length], from[r.there:])
		}
		clear(to[n:])
	}
	return solve.HeldRows(k), func() { m.store.Put(store) }
}

// fillSymmetric evaluates the tiles on and above the diagonal and mirrors the others.
func fillSymmetric(ctx context.Context, threads int, dst linalg.Matrix[float32], t kernel.Tiles) error {
	const side = 256
	var places [][2]int
	for i := 0; i < dst.Rows; i += side {
		for j := i; j < dst.Cols; j += side {
			places = append(places, [2]int{i, j})
		}
	}
	par.For(few(threads, dst), len(places), 1, func(p, _ int) {
		if ctx.Err() != nil {
			return
		}
		i, j := places[p][0], places[p][1]
		below, right := min(i+side, dst.Rows), min(j+side, dst.Cols)
		t.Tile32(linalg.General32(dst.Slice(i, below, j, right)), i, j)
		if i == j {
			return
		}
		mirror(dst, i, below, j, right)
	})
	return ctx.Err()
}

// mirror sets the rectangle below the diagonal from that above it, by squares whose lines stay in
// the first cache on both sides.
func mirror(dst linalg.Matrix[float32], i, below, j, right int) {
	const square = 16
	for a0 := i; a0 < below; a0 += square {
		for b0 := j; b0 < right; b0 += square {
			a1, b1 := min(a0+square, below), min(b0+square, right)
			for b := b0; b < b1; b++ {
				to := dst.Data[b*dst.Stride+a0 : b*dst.Stride+a1]
				at := a0*dst.Stride + b
				for c := range to {
					to[c] = dst.Data[at]
					at += dst.Stride
				}
			}
		}
	}
}

// fromWhole is the rows of a machine on the points of index, copied out of K as they are asked for.
func (m *kernelMatrix) fromWhole(index []int) *solve.LazyRows {
	runs := findRuns(index)
	return solve.NewLazyRows(len(index), func(_ context.Context, dst linalg.Matrix[float32], points []int) error {
		for a, p := range points {
			from, to := m.whole.Row(index[p]), dst.Row(a)
			for _, r := range runs {
				copy(to[r.here:r.here+r.length], from[r.there:])
			}
		}
		return nil
	})
}
