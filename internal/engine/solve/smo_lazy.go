package solve

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// LazyRows keeps the rows of a kernel matrix of n points that were asked for. An easy problem asks
// for those of its support vectors and a few more, a hard one for all. Where it has a limit, rows
// that were not used for long give way.
type LazyRows struct {
	n    int
	fill func(ctx context.Context, dst linalg.Matrix[float32], points []int) error
	rows [][]float32 // by point, nil where absent, with room for whole vectors; entries beyond n are 0
	used []bool      // by point: some pair moved it since its row was made
	none []uint32    // bits: points without a row
	room []float32   // storage for rows to come
	lazyLimit
	given bool // all rows were there from the beginning

	batch   int // rows that are made at a time
	kept    int // rows present
	peak    int // the most that were
	made    int // rows made so far
	asked   int // rows made because a pair needed them
	guessed int // rows made beside them
	right   int // of those, needed later
}

// NewLazyRows has no row yet, and no limit. fill sets dst[a, :n] to the row of points[a].
func NewLazyRows(n int, fill func(ctx context.Context, dst linalg.Matrix[float32], points []int) error) *LazyRows {
	l := &LazyRows{n: n, fill: fill, rows: make([][]float32, n), used: make([]bool, n), none: make([]uint32, padded(n)/32),
		batch: leastBatch}
	l.most = n
	for p := range n {
		l.none[p>>5] |= 1 << (p & 31)
	}
	return l
}

// HeldRows has the rows of a symmetric k from the beginning. They have room for whole vectors
// (PaddedStride), entries beyond its columns are 0, and tiny ones are flushed (simd.FlushTiny).
func HeldRows(k linalg.Matrix[float32]) *LazyRows {
	n, width := k.Rows, padded(k.Rows)
	l := NewLazyRows(n, func(context.Context, linalg.Matrix[float32], []int) error {
		panic("solve: a row that is held is made again")
	})
	for p := range n {
		l.rows[p] = k.Data[p*k.Stride : p*k.Stride+width]
	}
	clear(l.none)
	l.kept, l.peak, l.given = n, n, true
	return l
}

// Rows made at a time: a few while nothing is known, more where guesses of what is needed next come
// true, since a product of many rows is cheaper for each.
const (
	leastBatch = 4
	mostBatch  = 64
)

// Made is the number of rows that were computed, Bytes the most that those present took.
func (l *LazyRows) Made() int    { return l.made }
func (l *LazyRows) Bytes() int64 { return 4 * int64(l.peak) * int64(padded(l.n)) }

// Row is the row of a point, nil where it was never asked for.
func (l *LazyRows) Row(p int) []float32 {
	if r := l.rows[p]; r != nil {
		return r[:l.n]
	}
	return nil
}

// Want makes the rows of some points present, however many these are.
func (l *LazyRows) Want(ctx context.Context, points []int) error {
	var missing []int
	listed := make(map[int]bool, len(points)) // a point of two variables is asked for twice
	l.clock++
	for _, p := range points {
		l.touch(p)
		if l.rows[p] == nil && !listed[p] {
			listed[p] = true
			missing = append(missing, p)
		}
	}
	for len(missing) > 0 {
		some := missing[:min(len(missing), mostBatch)]
		missing = missing[len(some):]
		if err := l.make(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// make computes the rows of points that have none.
func (l *LazyRows) make(ctx context.Context, points []int) error {
	if over := l.kept + len(points) - l.most; over > 0 && l.last != nil && !l.held {
		l.giveWay(over)
	}
	width := padded(l.n)
	size := len(points) * width
	var store []float32
	again := len(l.spare) >= len(points) // in the memory of others
	if again {
		if cap(l.scratch) < size {
			l.scratch = make([]float32, size)
		}
		store = l.scratch[:size]
	} else {
		store = l.storage(size)
	}
	dst := linalg.Matrix[float32]{Rows: len(points), Cols: l.n, Stride: width, Data: store}
	if err := l.fill(ctx, dst, points); err != nil {
		return err
	}
	for a, p := range points {
		row := store[a*width : (a+1)*width]
		simd.FlushTiny(row)
		if again {
			other := l.spare[len(l.spare)-1]
			l.spare = l.spare[:len(l.spare)-1]
			copy(other[:l.n], row)
			row = other
		}
		l.rows[p] = row
		l.none[p>>5] &^= 1 << (p & 31)
		l.touch(p)
	}
	l.kept += len(points)
	l.made += len(points)
	l.peak = max(l.peak, l.kept)
	l.earn(points)
	return nil
}

// storage is fresh memory for some rows. It is taken from the system in pieces that grow with what
// there is: rows are written once and most read a few times, so that small pages, a fault each,
// would cost as much as the rows themselves; large pieces get huge ones (linalg.New).
func (l *LazyRows) storage(size int) []float32 {
	if len(l.room) < size {
		piece := min(max(l.Bytes()/4, leastPiece), mostPiece, int64(l.most-l.kept)*int64(padded(l.n)))
		l.room = linalg.New[float32](1, max(int(piece), size)).Data
	}
	out := l.room[:size:size]
	l.room = l.room[size:]
	return out
}

// Numbers in a piece of storage.
const (
	leastPiece = 1 << 16
	mostPiece  = 1 << 22
)

// use notes that the row of a point was needed.
func (l *LazyRows) use(p int) {
	if l.last != nil {
		l.last[p] = l.clock
	}
	if !l.used[p] {
		l.used[p] = true
		l.right++
	}
}

// need makes the row of p present and, with it, those of the first of likely that have none, as
// many as past guesses warrant.
func (l *LazyRows) need(ctx context.Context, p int, likely []int) error {
	points := []int{p}
	for _, q := range likely {
		if len(points) >= l.batch {
			break
		}
		if l.rows[q] == nil && !slices.Contains(points, q) { // who may move both ways is listed twice
			points = append(points, q)
		}
	}
	l.clock++
	l.asked++
	l.guessed += len(points) - 1
	if err := l.make(ctx, points); err != nil {
		return err
	}
	// right counts every row in use, those asked for among them.
	if lucky := l.right - l.asked; 4*lucky >= 3*l.guessed {
		l.batch = min(2*l.batch, mostBatch)
	} else if 2*lucky < l.guessed {
		l.batch = max(l.batch/2, leastBatch)
	}
	return nil
}
