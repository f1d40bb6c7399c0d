package solve

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// LazyRows keeps the rows of a kernel matrix of n points that were asked for. An easy problem asks for
// those of its support vectors and a few more, a hard one for all.
type LazyRows struct {
	n    int
	fill func(ctx context.Context, dst linalg.Matrix[float32], points []int) error
	rows [][]float32 // by point, nil where absent, with room for whole vectors; entries beyond n are 0
	used []bool      // by point: some pair moved it
	none []uint32    // bits: points without a row
	room []float32   // storage for rows to come

	batch   int // rows that are made at a time
	kept    int // rows present
	asked   int // rows made because a pair needed them
	guessed int // rows made beside them
	right   int // of those, needed later
}

// NewLazyRows has no row yet. fill sets dst[a, :n] to the row of points[a].
func NewLazyRows(n int, fill func(ctx context.Context, dst linalg.Matrix[float32], points []int) error) *LazyRows {
	l := &LazyRows{n: n, fill: fill, rows: make([][]float32, n), used: make([]bool, n), none: make([]uint32, padded(n)/32), batch: leastBatch}
	for p := range n {
		l.none[p>>5] |= 1 << (p & 31)
	}
	return l
}

// Rows made at a time: a few while nothing is known, more where guesses of what is needed next come true, since a
// product of many rows is cheaper for each.
const (
	leastBatch = 4
	mostBatch  = 64
)

// Kept is the number of rows present, Bytes what they take.
func (l *LazyRows) Kept() int    { return l.kept }
func (l *LazyRows) Bytes() int64 { return 4 * int64(l.kept) * int64(padded(l.n)) }

// Row is the row of a point, nil where it was never asked for.
func (l *LazyRows) Row(p int) []float32 {
	if r := l.rows[p]; r != nil {
		return r[:l.n]
	}
	return nil
}

// Want makes the rows of some points present.
func (l *LazyRows) Want(ctx context.Context, points []int) error {
	var missing []int
	listed := make(map[int]bool, len(points)) // a point of two variables is asked for twice
	for _, p := range points {
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
	width := padded(l.n)
	store := l.storage(len(points) * width)
	dst := linalg.Matrix[float32]{Rows: len(points), Cols: l.n, Stride: width, Data: store}
	if err := l.fill(ctx, dst, points); err != nil {
		return err
	}
	for a, p := range points {
		row := store[a*width : (a+1)*width]
		simd.FlushTiny(row)
		l.rows[p] = row
		l.none[p>>5] &^= 1 << (p & 31)
	}
	l.kept += len(points)
	return nil
}

// storage is fresh memory for some rows. It is taken from the system in pieces that grow with what there is: rows are written once and
// most read a few times, so that small pages, a fault each, would cost as much as the rows themselves; large pieces get huge ones (linalg.New).
func (l *LazyRows) storage(size int) []float32 {
	if len(l.room) < size {
		piece := min(max(l.Bytes()/4, leastPiece), mostPiece, int64(l.n-l.kept)*int64(padded(l.n)))
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
	if !l.used[p] {
		l.used[p] = true
		l.right++
	}
}

// need makes the row of p present and, with it, those of the first of likely that have none, as many as past
// guesses warrant.
func (l *LazyRows) need(ctx context.Context, p int, likely []int) error {
	points := []int{p}
	for _, q := range likely {
		if len(points) >= l.batch {
			break
		}
		if l.rows[q] == nil && q != p {
			points = append(points, q)
		}
	}
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
