package solve

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// rowCache keeps rows of K, in the order of the layout, under a byte budget;
// the row used longest ago gives way first. Fresh memory is not free (the
// system clears it page by page, about the price of computing the row), so the
// cache starts small, in memory that stays warm, and grows towards the budget
// as rows it gave up are asked for again.
type rowCache[F linalg.Float] struct {
	rows    [][]F  // by point; nil when absent; its length is how much of it is known
	lent    []bool // by point: the row is the source's own, not to be written to
	used    []int  // clock of last use, by point
	clock   int
	cached  []int // points with a row
	bytes   int64 // allocated
	peak    int64
	budget  int64
	soft    int64  // how much of the budget has been earned
	work    int64  // bytes that rows on their way may take
	known   []bool // by point: the row was computed before
	spare   [][]F  // storage of rows that gave way
	scratch []F
	threads int
}

func newRowCache[F linalg.Float](n int, budget, work int64, t int) *rowCache[F] {
	return &rowCache[F]{
		rows: make([][]F, n), lent: make([]bool, n), used: make([]int, n), known: make([]bool, n),
		budget: budget, soft: min(budget, warmBytes), work: work, threads: t,
	}
}

const (
	warmBytes = 96 << 20
	// growth is how many rows have to be computed again to earn the budget of one more: computing
	// rows is cheap, and a problem of few support vectors should not take more memory than it
	// needs.
	growth = 2
)

func sizeOf[F linalg.Float]() int64 {
	var f F
	return int64(unsafe.Sizeof(f))
}

// capacity is how many rows of the given length the budget holds.
func (c *rowCache[F]) capacity(length int) int {
	return int(c.budget / (sizeOf[F]() * int64(max(length, 1))))
}

// batch is how many rows of the given length are computed at a time where they
// are not computed in place.
func (c *rowCache[F]) batch(length int) int {
	return int(min(max(c.work/2/(sizeOf[F]()*int64(max(length, 1))), 1), 128))
}

// want makes the first length entries of the rows of the given points present
// and marks them as used. It returns how many it had to compute.
func (c *rowCache[F]) want(ctx context.Context, k RowSource[F], points []int, length int) (int, error) {
	c.clock++
	var missing []int
	for _, p := range points {
		if c.used[p] == c.clock {
			continue // a point of two variables; listed twice, its row would be permuted twice
		}
		c.used[p] = c.clock
		if len(c.rows[p]) < length {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	c.drop(slices.DeleteFunc(slices.Clone(missing), func(p int) bool { return c.rows[p] == nil })...)
	if l, ok := any(k).(lender[F]); ok {
		rows, err := l.whole(ctx, missing)
		if err != nil {
			return 0, err
		}
		if rows != nil {
			for a, p := range missing {
				c.rows[p], c.lent[p] = rows[a], true
				c.cached = append(c.cached, p)
			}
			return len(missing), nil
		}
	}
	size := int64(length) * sizeOf[F]()
	for _, p := range missing {
		if c.known[p] {
			c.soft += size / growth
		}
		c.known[p] = true
	}
	c.soft = min(max(c.soft, 2*int64(len(points))*size), c.budget)
	size *= int64(len(missing))
	if c.bytes+size <= c.soft || c.bytes == 0 {
		m := linalg.Unset[F](len(missing), length)
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
	// Reuse storage, some rows at a time so that the scratch stays small.
	some := c.batch(length)
	if scratch := min(some, len(missing)) * length; cap(c.scratch) < scratch {
		c.scratch = make([]F, scratch)
	}
	old := c.oldest()
	for lo := 0; lo < len(missing); lo += some {
		batch := missing[lo:min(lo+some, len(missing))]
		m := linalg.Matrix[F]{Rows: len(batch), Cols: length, Stride: length, Data: c.scratch[:len(batch)*length]}
		if err := k.Rows(ctx, m, batch); err != nil {
			return 0, err
		}
		for _, p := range batch {
			c.rows[p] = c.storage(length, &old)
			c.cached = append(c.cached, p)
		}
		par.For(c.threads, len(batch), 8, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				copy(c.rows[batch[a]], m.Row(a))
			}
		})
	}
	c.cached = slices.DeleteFunc(c.cached, func(p int) bool { return c.rows[p] == nil })
	return len(missing), nil
}

// oldest lists the points whose rows may give way, the one used longest ago
// last. Rows of the present working set are not among them.
func (c *rowCache[F]) oldest() []int {
	var out []int
	for _, p := range c.cached {
		if c.used[p] < c.clock && !c.lent[p] {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(c.used[b], c.used[a]), cmp.Compare(b, a)) })
	return out
}

// drop forgets the rows of some points and keeps their storage for others.
func (c *rowCache[F]) drop(points ...int) {
	for _, p := range points {
		if !c.lent[p] {
			c.spare = append(c.spare, c.rows[p][:0])
		}
		c.rows[p], c.lent[p] = nil, false
	}
	c.cached = slices.DeleteFunc(c.cached, func(p int) bool { return c.rows[p] == nil })
}

// storage finds room for a row: spare storage, new storage within the budget,
// or that of the row used longest ago. The working set is smaller than the
// cache, so there is always room.
func (c *rowCache[F]) storage(length int, old *[]int) []F {
	for i := len(c.spare) - 1; i >= 0 && i >= len(c.spare)-8; i-- {
		if s := c.spare[i]; cap(s) >= length {
			c.spare = append(c.spare[:i], c.spare[i+1:]...)
			return s[:length]
		}
	}
	size := int64(length) * sizeOf[F]()
	for c.bytes+size > c.soft && len(*old) > 0 {
		p := (*old)[len(*old)-1]
		*old = (*old)[:len(*old)-1]
		room := c.rows[p]
		c.rows[p] = nil
		if cap(room) >= length {
			return room[:length]
		}
		// Too short to hold the new row: give it back to the machine.
		c.bytes -= int64(cap(room)) * sizeOf[F]()
	}
	c.bytes += size
	c.peak = max(c.peak, c.bytes)
	return linalg.Unset[F](1, length).Data
}

// permute moves the entries of all rows as layout.setAside moved the points of the prefix of the
// given length. Rows that are known only in part (they were computed when fewer points were active,
// all of which are active again) are given up: their entries would have to move beyond their end.
// So are rows that were lent.
func (c *rowCache[F]) permute(moved []int, prefix int) {
	var short []int
	for _, p := range c.cached {
		if len(c.rows[p]) < prefix || c.lent[p] {
			short = append(short, p)
		}
	}
	c.drop(short...)
	par.For(c.threads, len(c.cached), 16, func(lo, hi int) {
		tmp := make([]F, 0, len(moved))
		for _, p := range c.cached[lo:hi] {
			partition(c.rows[p][:prefix], moved, tmp)
		}
	})
}
