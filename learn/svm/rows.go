package svm

import (
	"context"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// kernelMatrix is the kernel matrix of the training points as support vector
// solvers see it: rows on demand.
type kernelMatrix struct {
	ctx     context.Context // of the fit, for tiles
	k       kernel.Kernel[any]
	x       data.Points[any]
	tiles   kernel.Tiles
	diag    []float64
	threads int
	blocks  *classBlocks           // nil unless several machines share rows
	whole   linalg.Matrix[float32] // all of K, where points are few
	store   sync.Pool              // of *[]float32: parts of it
	once    sync.Once
	error32 float64 // see float32Error
}

func newKernelMatrix(ctx context.Context, k kernel.Kernel[any], x data.Points[any], t int) *kernelMatrix {
	m := &kernelMatrix{ctx: ctx, k: k, x: x, tiles: kernel.Prepare(ctx, k, x, x), threads: t,
		diag: make([]float64, x.Len())}
	if s, ok := m.tiles.(kernel.Selector); ok {
		s.KeepColumns()
	}
	m.tiles.Diag(m.diag)
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
func (m *kernelMatrix) cut(from kernel.Tiles, rows, cols []int) kernel.Tiles {
	if s, ok := m.tiles.(kernel.Selector); ok {
		if from != nil {
			s, cols = from.(kernel.Selector), nil
		}
		return s.Select(rows, cols)
	}
	pick := func(index []int) data.Points[any] {
		if index == nil {
			return m.x
		}
		return data.Gather(m.x, index)
	}
	return kernel.Prepare(m.ctx, m.k, pick(rows), pick(cols))
}

// rowsOf is the source of rows for a machine on the points of index (nil: all).
func rowsOf[F linalg.Float](m *kernelMatrix, index []int, threads int) solve.RowSource[F] {
	return &kernelRows[F]{m: m, index: index, cols: index, diag: m.diagonal(index), threads: threads}
}

// diagonal is that of the points of index (nil: all).
func (m *kernelMatrix) diagonal(index []int) []float64 {
	if index == nil {
		return m.diag
	}
	return data.Take(m.diag, index)
}

// kernelRows is a solve.RowSource on the training points.
type kernelRows[F linalg.Float] struct {
	m       *kernelMatrix
	index   []int // training point of each point of the machine; nil: the same
	cols    []int // training point of each column; nil: all
	tiles   kernel.Tiles
	diag    []float64
	threads int
}

func (r *kernelRows[F]) Diag() []float64 { return r.diag }

func (r *kernelRows[F]) training(points []int) []int {
	if r.index == nil {
		return points
	}
	out := make([]int, len(points))
	for i, p := range points {
		out[i] = r.index[p]
	}
	return out
}

func (r *kernelRows[F]) Columns(cols []int) solve.RowSource[F] {
	return &kernelRows[F]{m: r.m, index: r.index, cols: r.training(cols), diag: r.diag, threads: r.threads}
}

func (r *kernelRows[F]) Rows(ctx context.Context, dst linalg.Matrix[F], rows []int) error {
	rows = r.training(rows)
	if r.tiles == nil {
		r.tiles = r.m.cut(nil, nil, r.cols)
	}
	return fillTiles(ctx, r.threads, dst, r.m.cut(r.tiles, rows, r.cols))
}

// run is columns that stand together both here and in a whole row.
type run struct{ here, there, length int }

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
func (m *kernelMatrix) float32Error() float64 {
	m.once.Do(func() { m.error32 = m.sampleError() })
	return m.error32
}

func (m *kernelMatrix) sampleError() float64 {
	n := m.x.Len()
	const side = 32
	var rows []int
	for a := range min(side, n) {
		rows = append(rows, a*n/min(side, n))
	}
	exact, rounded := linalg.New[float64](len(rows), len(rows)), linalg.New[float32](len(rows), len(rows))
	// Of the sample alone: double precision may never be needed of all points.
	sample := data.Gather(m.x, rows)
	kernel.Prepare(m.ctx, m.k, sample, sample).Tile(blas64.General(exact), 0, 0)
	m.cut(nil, rows, rows).Tile32(linalg.General32(rounded), 0, 0)
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

func (m *kernelMatrix) largestDiag() float64 {
	scale := 0.0
	for _, d := range m.diag {
		scale = max(scale, math.Abs(d))
	}
	return scale
}
