package solve

import (
	"context"
	"unsafe"

	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
)

// rowCache keeps rows of K, in the order of the layout, under a byte budget;
// the row used longest ago gives way first.
type rowCache[F linalg.Float] struct {
	rows    [][]F // by point; nil when absent; its length is how much of it is known
	used    []int // clock of last use, by point
	clock   int
	cached  []int // points with a row
	bytes   int64 // allocated
	peak    int64
	budget  int64
	spare   [][]F // storage of rows that gave way
	threads par.Threads
}

func newRowCache[F linalg.Float](n int, budget int64, t par.Threads) *rowCache[F] {
	return &rowCache[F]{rows: make([][]F, n), used: make([]int, n), budget: budget, threads: t}
}

func sizeOf[F linalg.Float]() int64 {
	var f F
	return int64(unsafe.Sizeof(f))
}

// capacity is how many rows of the given length the budget holds.
func (c *rowCache[F]) capacity(length int) int {
	return int(c.budget / (sizeOf[F]() * int64(max(length, 1))))
}

// want makes the first length entries of the rows of the given points present
// and marks them as used. It returns how many it had to compute.
func (c *rowCache[F]) want(ctx context.Context, k RowSource[F], points []int, length int) (int, error) {
	c.clock++
	var missing []int
	for _, p := range points {
		c.used[p] = c.clock
		if len(c.rows[p]) < length {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	for _, p := range missing {
		if c.rows[p] != nil {
			c.drop(p)
		}
	}
	size := int64(len(missing)) * int64(length) * sizeOf[F]()
	if c.bytes+size <= c.budget || len(c.cached) == 0 {
		m := linalg.New[F](len(missing), length)
		c.bytes += size
		c.peak = max(c.peak, c.bytes)
		if err := k.Rows(ctx, m, missing); err != nil {
			return 0, err
		}
		for a, p := range missing {
			c.rows[p] = m.Row(a)
			c.cached = append(c.cached, p)
		}
		return len(missing), nil
	}
	// Reuse storage, a few rows at a time so that the scratch stays small.
	const few = 64
	scratch := linalg.New[F](min(few, len(missing)), length)
	for lo := 0; lo < len(missing); lo += few {
		hi := min(lo+few, len(missing))
		m := scratch.Slice(0, hi-lo, 0, length)
		if err := k.Rows(ctx, m, missing[lo:hi]); err != nil {
			return 0, err
		}
		for a, p := range missing[lo:hi] {
			row := c.storage(length)
			copy(row, m.Row(a))
			c.rows[p] = row
			c.cached = append(c.cached, p)
		}
	}
	return len(missing), nil
}

// drop forgets the row of a point and keeps its storage for another.
func (c *rowCache[F]) drop(p int) {
	for i, q := range c.cached {
		if q == p {
			c.cached[i] = c.cached[len(c.cached)-1]
			c.cached = c.cached[:len(c.cached)-1]
			break
		}
	}
	c.spare = append(c.spare, c.rows[p][:0])
	c.rows[p] = nil
}

// storage finds room for a row: spare storage, new storage within the budget,
// or that of the row used longest ago. Rows of the present working set are
// never taken: the working set is smaller than the cache.
func (c *rowCache[F]) storage(length int) []F {
	for i := len(c.spare) - 1; i >= 0; i-- {
		if s := c.spare[i]; cap(s) >= length {
			c.spare = append(c.spare[:i], c.spare[i+1:]...)
			return s[:length]
		}
	}
	size := int64(length) * sizeOf[F]()
	for c.bytes+size > c.budget {
		oldest := -1
		for _, p := range c.cached {
			if c.used[p] < c.clock && (oldest < 0 || c.used[p] < c.used[oldest]) {
				oldest = p
			}
		}
		if oldest < 0 {
			break
		}
		room := cap(c.rows[oldest])
		c.drop(oldest)
		if room >= length {
			s := c.spare[len(c.spare)-1]
			c.spare = c.spare[:len(c.spare)-1]
			return s[:length]
		}
		// Too short to hold the new row: give it back to the machine.
		c.spare = c.spare[:len(c.spare)-1]
		c.bytes -= int64(room) * sizeOf[F]()
	}
	c.bytes += size
	c.peak = max(c.peak, c.bytes)
	return make([]F, length)
}

// permute moves the entries of all rows as layout.setAside moved the points of
// the prefix of the given length.
func (c *rowCache[F]) permute(moved []int, prefix int) {
	par.For(c.threads, len(c.cached), 16, func(lo, hi int) {
		tmp := make([]F, 0, len(moved))
		for _, p := range c.cached[lo:hi] {
			partition(c.rows[p][:prefix], moved, tmp)
		}
	})
}
