package svm

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
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
func (m *kernelMatrix[T]) share(ctx context.Context, machines int, ends []int, o *Options) error {
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
	m.whole = linalg.New[float32](n, n)
	return fillSymmetric(ctx, o.Threads, m.whole, m.tiles)
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
		for a := i; a < below; a++ {
			for b, v := range dst.Row(a)[j:right] {
				dst.Data[(j+b)*dst.Stride+a] = v
			}
		}
	})
	return ctx.Err()
}

// fromWhole is the rows of a machine on the points of index (nil: all), copied out of K.
func (m *kernelMatrix[T]) fromWhole(index []int) *solve.LazyRows {
	n, runs := m.x.Len(), []run{{0, 0, m.x.Len()}}
	if index != nil {
		n, runs = len(index), findRuns(index)
	}
	return solve.NewLazyRows(n, func(_ context.Context, dst linalg.Matrix[float32], points []int) error {
		if index != nil {
			points = data.Take(index, points)
		}
		for a, p := range points {
			from, to := m.whole.Row(p), dst.Row(a)
			for _, r := range runs {
				copy(to[r.here:r.here+r.length], from[r.there:])
			}
		}
		return nil
	})
}
