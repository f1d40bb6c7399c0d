package svm

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
)

// demand is the rows of a machine on the points of index (nil: all), made as its solver asks for
// them.
func (m *kernelMatrix) demand(index []int, threads int) *solve.LazyRows {
	if m.whole.Data != nil {
		return m.fromWhole(index)
	}
	n := m.x.Len()
	runs := []run{{0, 0, n}}
	if index != nil {
		n, runs = len(index), findRuns(index)
	}
	training := func(points []int) []int {
		if index == nil {
			return points
		}
		return data.Take(index, points)
	}
	if runs = m.blocks.split(runs); len(runs) > mostRuns {
		var columns kernel.Tiles
		return solve.NewLazyRows(n, func(ctx context.Context, dst linalg.Matrix[float32], points []int) error {
			if columns == nil {
				columns = m.cut(nil, nil, index)
			}
			return fillTiles(ctx, few(threads, dst), dst, m.cut(columns, training(points), index))
		})
	}
	return solve.NewLazyRows(n, func(ctx context.Context, dst linalg.Matrix[float32], points []int) error {
		rows := training(points)
		tiles := m.cut(nil, rows, nil)
		for _, r := range runs {
			part := dst.Slice(0, dst.Rows, r.here, r.here+r.length)
			if m.blocks.whole(r) {
				if err := m.ownRows(ctx, part, r, rows, tiles, threads); err != nil {
					return err
				}
				continue
			}
			if err := fillColumns(ctx, threads, part, tiles, 0, r.there); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostRuns of columns are filled one by one; points that are more scattered are gathered first.
const mostRuns = 8

// worthThreads is how many entries of K a second goroutine is worth.
const worthThreads = 1 << 16

func few(threads int, dst linalg.Matrix[float32]) int {
	if dst.Rows*dst.Cols < worthThreads {
		return 1
	}
	return threads
}

// fillColumns sets dst to the rows of tiles from i on and the columns from j on, cut by position.
func fillColumns(ctx context.Context, threads int, dst linalg.Matrix[float32], t kernel.Tiles, i, j int) error {
	const wide = 1024
	par.For(few(threads, dst), (dst.Cols+wide-1)/wide, 1, func(p, _ int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := p*wide, min((p+1)*wide, dst.Cols)
		t.Tile32(linalg.General32(dst.Slice(0, dst.Rows, lo, hi)), i, j+lo)
	})
	return ctx.Err()
}

// classBlocks is the rows of K of every class on its own columns, which all machines of the class
// read: made once, by whichever asks first.
type classBlocks struct {
	mu   sync.Mutex
	runs []run // of each class
	rows [][]float32
}

// shareBlocks lets machines share the rows of points that stand together (of a class, or all) on
// their own columns, where all such rows take at most a quarter of the budget, and takes that from
// it. ends is where each run ends.
func (m *kernelMatrix) shareBlocks(ends []int, o *Options) {
	b := &classBlocks{rows: make([][]float32, m.x.Len())}
	bytes, start := int64(0), 0
	for _, end := range ends {
		length := end - start
		b.runs = append(b.runs, run{there: start, length: length})
		bytes += 4 * int64(length) * int64(length)
		start = end
	}
	if bytes <= o.Bytes/4 {
		m.blocks = b
		o.Bytes -= bytes
	}
}

// split cuts runs where a block ends.
func (b *classBlocks) split(runs []run) []run {
	if b == nil {
		return runs
	}
	var out []run
	for _, r := range runs {
		for _, c := range b.runs {
			lo, hi := max(r.there, c.there), min(r.there+r.length, c.there+c.length)
			if lo < hi {
				out = append(out, run{here: r.here + lo - r.there, there: lo, length: hi - lo})
			}
		}
	}
	return out
}

// bytes is what the rows take.
func (b *classBlocks) bytes() int64 {
	if b == nil {
		return 0
	}
	sum := int64(0)
	for _, r := range b.rows {
		sum += 4 * int64(len(r))
	}
	return sum
}

func (b *classBlocks) whole(r run) bool {
	if b == nil {
		return false
	}
	for _, c := range b.runs {
		if c.there == r.there && c.length == r.length {
			return true
		}
	}
	return false
}

// ownRows fills the columns of the class r. Of rows of that class what another machine made is
// taken over. A tile always has ownTall rows: how a tile is shaped shows in the last bits of its
// values, and who comes first must not.
func (m *kernelMatrix) ownRows(
	ctx context.Context, dst linalg.Matrix[float32], r run, rows []int, tiles kernel.Tiles, threads int,
) error {
	b := m.blocks
	var missing, others []int
	b.mu.Lock()
	for a, p := range rows {
		switch {
		case p < r.there || p >= r.there+r.length:
			others = append(others, a)
		case b.rows[p] != nil:
			copy(dst.Row(a), b.rows[p])
		default:
			missing = append(missing, a)
		}
	}
	b.mu.Unlock()
	if len(missing) > 0 {
		if err := m.makeOwn(ctx, dst, r, data.Take(rows, missing), missing, threads); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	if len(others) == len(rows) {
		return fillColumns(ctx, threads, dst, tiles, 0, r.there)
	}
	part := linalg.New[float32](len(others), r.length)
	if err := fillColumns(ctx, threads, part, m.cut(nil, data.Take(rows, others), nil), 0, r.there); err != nil {
		return err
	}
	for i, a := range others {
		copy(dst.Row(a), part.Row(i))
	}
	return nil
}

const ownTall = 8

func (m *kernelMatrix) makeOwn(
	ctx context.Context, dst linalg.Matrix[float32], r run, rows, at []int, threads int,
) error {
	for lo := 0; lo < len(rows); lo += ownTall {
		some := append([]int(nil), rows[lo:min(lo+ownTall, len(rows))]...)
		made := len(some)
		for len(some) < ownTall {
			some = append(some, some[0])
		}
		tile := linalg.New[float32](ownTall, r.length)
		if err := fillColumns(ctx, threads, tile, m.cut(nil, some, nil), 0, r.there); err != nil {
			return err
		}
		m.blocks.mu.Lock()
		for i := range made {
			m.blocks.rows[some[i]] = tile.Row(i)
		}
		m.blocks.mu.Unlock()
		for i := range made {
			copy(dst.Row(at[lo+i]), tile.Row(i))
		}
	}
	return nil
}
