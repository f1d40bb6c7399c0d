package svm

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// kernelMatrix is the kernel matrix of the training points as support vector
// solvers see it: rows on demand, or the whole of it where several machines
// are going to share it.
type kernelMatrix[T any] struct {
	ctx     context.Context // of the fit, for tiles
	k       kernel.Kernel[T]
	x       data.Points[T]
	tiles   kernel.Tiles
	diag    []float64
	threads int
	whole   *linalg.Matrix[float32] // nil unless precomputed
	store   *rowStore               // nil unless several machines share rows
}

func newKernelMatrix[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], t int) *kernelMatrix[T] {
	m := &kernelMatrix[T]{ctx: ctx, k: k, x: x, tiles: kernel.Prepare(ctx, k, x, x), threads: t, diag: make([]float64, x.Len())}
	kernel.Diag(ctx, k, m.diag, x)
	return m
}

// tileAt evaluates one rectangle in the precision of dst.
func tileAt[F linalg.Float](t kernel.Tiles, dst linalg.Matrix[F], i, j int) {
	switch d := any(dst).(type) {
	case linalg.Matrix[float32]:
		t.Tile32(linalg.General32(d), i, j)
	case linalg.Matrix[float64]:
		t.Tile(blas64.General(d), i, j)
	}
}

// fillTiles evaluates all of t into dst in parallel, stopping early when ctx
// is done. The pieces are cut by position.
func fillTiles[F linalg.Float](ctx context.Context, threads int, dst linalg.Matrix[F], t kernel.Tiles) error {
	const tall, wide = 128, 1024
	down, across := (dst.Rows+tall-1)/tall, (dst.Cols+wide-1)/wide
	par.For(threads, down*across, 1, func(p, _ int) {
		if ctx.Err() != nil {
			return
		}
		i, j := p/across*tall, p%across*wide
		tileAt(t, dst.Slice(i, min(i+tall, dst.Rows), j, min(j+wide, dst.Cols)), i, j)
	})
	return ctx.Err()
}

// cut is the tiles of some rows and columns of from, which are tiles of these
// points (nil: all of them); nil lists mean all. cols are those of from, as
// points, and are given again for kernels that must be prepared anew.
func (m *kernelMatrix[T]) cut(from kernel.Tiles, rows, cols []int) kernel.Tiles {
	if s, ok := m.tiles.(kernel.Selector); ok {
		if from != nil {
			s, cols = from.(kernel.Selector), nil
		}
		return s.Select(rows, cols)
	}
	pick := func(index []int) data.Points[T] {
		if index == nil {
			return m.x
		}
		return data.Gather(m.x, index)
	}
	return kernel.Prepare(m.ctx, m.k, pick(rows), pick(cols))
}

// precompute evaluates the whole matrix in single precision.
func (m *kernelMatrix[T]) precompute(ctx context.Context) error {
	n := m.x.Len()
	w := linalg.New[float32](n, n)
	const square = 512
	down := (n + square - 1) / square
	par.For(m.threads, down*down, 1, func(p, _ int) {
		i, j := p/down*square, p%down*square
		if i < j || ctx.Err() != nil {
			return
		}
		tile := w.Slice(i, min(i+square, n), j, min(j+square, n))
		m.tiles.Tile32(linalg.General32(tile), i, j)
		mirrorTile(w, tile, i, j)
	})
	m.whole = &w
	return ctx.Err()
}

// mirrorTile copies a tile at (i, j) on or below the diagonal to its place
// above, in small squares so that both sides are read a cache line at a time.
func mirrorTile(w, tile linalg.Matrix[float32], i, j int) {
	const small = 16
	for a := 0; a < tile.Rows; a += small {
		a1 := min(a+small, tile.Rows)
		for b := 0; b < tile.Cols; b += small {
			b1 := min(b+small, tile.Cols)
			for c := b; c < b1; c++ {
				row := w.Data[(j+c)*w.Stride+i+a : (j+c)*w.Stride+i+a1]
				for r := range row {
					if i+a+r > j+c {
						row[r] = tile.Data[(a+r)*tile.Stride+c]
					}
				}
			}
		}
	}
}

// rowsOf is the source of rows for a machine on the points of index (nil: all).
func rowsOf[F linalg.Float, T any](m *kernelMatrix[T], index []int, threads int) solve.RowSource[F] {
	d := m.diag
	if index != nil {
		d = make([]float64, len(index))
		for i, p := range index {
			d[i] = m.diag[p]
		}
	}
	return &kernelRows[F, T]{m: m, index: index, cols: index, diag: d, threads: threads}
}

// kernelRows is a solve.RowSource on the training points.
type kernelRows[F linalg.Float, T any] struct {
	m       *kernelMatrix[T]
	index   []int // training point of each point of the machine; nil: the same
	cols    []int // training point of each column; nil: all
	runs    []run // of cols in a whole row, when such rows are at hand
	tiles   kernel.Tiles
	diag    []float64
	threads int
}

func (r *kernelRows[F, T]) Diag() []float64 { return r.diag }

func (r *kernelRows[F, T]) training(points []int) []int {
	if r.index == nil {
		return points
	}
	out := make([]int, len(points))
	for i, p := range points {
		out[i] = r.index[p]
	}
	return out
}

func (r *kernelRows[F, T]) Columns(cols []int) solve.RowSource[F] {
	return &kernelRows[F, T]{m: r.m, index: r.index, cols: r.training(cols), diag: r.diag, threads: r.threads}
}

func (r *kernelRows[F, T]) Rows(ctx context.Context, dst linalg.Matrix[F], rows []int) error {
	rows = r.training(rows)
	if d, ok := any(dst).(linalg.Matrix[float32]); ok {
		if r.runs == nil && (r.m.whole != nil || r.m.store != nil) {
			r.runs = findRuns(r.cols)
		}
		switch {
		case r.m.whole != nil:
			r.copyRows(d, *r.m.whole, rows)
			return ctx.Err()
		case r.m.store != nil:
			whole, err := r.m.store.rows(ctx, r.m, rows)
			if err != nil {
				return err
			}
			for a, row := range whole {
				r.copyRow(d.Row(a), row)
			}
			return nil
		}
	}
	if r.tiles == nil {
		r.tiles = r.m.cut(nil, nil, r.cols)
	}
	return fillTiles(ctx, r.threads, dst, r.m.cut(r.tiles, rows, r.cols))
}

func (r *kernelRows[F, T]) copyRows(dst, from linalg.Matrix[float32], rows []int) {
	par.For(r.threads, len(rows), 16, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			r.copyRow(dst.Row(a), from.Row(rows[a]))
		}
	})
}

// run is columns that stand together both here and in a whole row.
type run struct{ here, there, length int }

// copyRow takes the columns of this source out of a whole row. Columns of one
// class stand together, so most are copied in long runs.
func (r *kernelRows[F, T]) copyRow(dst, row []float32) {
	if r.cols == nil {
		copy(dst, row)
		return
	}
	for _, p := range r.runs {
		if p.length == 1 {
			dst[p.here] = row[p.there]
			continue
		}
		copy(dst[p.here:p.here+p.length], row[p.there:p.there+p.length])
	}
}

// findRuns cuts the columns into runs.
func findRuns(cols []int) []run {
	var runs []run
	for b := 0; b < len(cols); {
		e := b + 1
		for e < len(cols) && cols[e] == cols[b]+e-b {
			e++
		}
		runs = append(runs, run{b, cols[b], e - b})
		b = e
	}
	return runs
}

// float32Error estimates, relative to the largest diagonal entry, how far
// single precision entries of the kernel matrix are from double precision
// ones, on a fixed sample of pairs that includes neighbours in the data.
func (m *kernelMatrix[T]) float32Error() float64 {
	n := m.x.Len()
	const side = 32
	var rows []int
	for a := range min(side, n) {
		rows = append(rows, a*n/min(side, n))
	}
	t := m.cut(nil, rows, rows)
	exact, rounded := linalg.New[float64](len(rows), len(rows)), linalg.New[float32](len(rows), len(rows))
	t.Tile(blas64.General(exact), 0, 0)
	t.Tile32(linalg.General32(rounded), 0, 0)
	scale := m.largestDiag()
	if scale == 0 {
		return 0
	}
	sum := 0.0
	for i, v := range exact.Data {
		d := (v - float64(rounded.Data[i])) / scale
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(exact.Data)))
}

func (m *kernelMatrix[T]) largestDiag() float64 {
	scale := 0.0
	for _, d := range m.diag {
		scale = max(scale, math.Abs(d))
	}
	return scale
}
