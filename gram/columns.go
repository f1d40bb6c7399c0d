package gram

import (
	"container/list"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// cached keeps the columns used last, as many as the budget allows; the rest
// is evaluated when asked for. Products go through the lazy path.
//
// A column is evaluated by the first who asks; others who want the same one
// wait for it, and nobody waits for a different one. An evicted column that is
// still in use by a caller stays alive until the caller drops it.
type cached[F linalg.Float] struct {
	lazy[F]
	capacity int

	mu           sync.Mutex
	entries      map[int]*list.Element // of *column[F]
	order        *list.List            // most recently used in front
	hits, misses int64
}

type column[F linalg.Float] struct {
	j      int
	once   sync.Once
	values []F
}

func newCached[F linalg.Float](c choice, t tiles[F], diag []float64) *cached[F] {
	capacity := int(min(c.Bytes/(c.size()*int64(c.r)), int64(c.c)))
	return &cached[F]{lazy: lazy[F]{choice: c, tiles: t, diag: diag},
		capacity: max(capacity, 2), // SMO works on pairs
		entries:  map[int]*list.Element{}, order: list.New()}
}

// values returns column j, from the cache or evaluated.
func (c *cached[F]) values(j int) []F {
	c.mu.Lock()
	e, ok := c.entries[j]
	if ok {
		c.hits++
		c.order.MoveToFront(e)
	} else {
		c.misses++
		e = c.order.PushFront(&column[F]{j: j})
		c.entries[j] = e
		for c.order.Len() > c.capacity {
			last := c.order.Back()
			delete(c.entries, last.Value.(*column[F]).j)
			c.order.Remove(last)
		}
	}
	col := e.Value.(*column[F])
	c.mu.Unlock()
	col.once.Do(func() { col.values = c.evaluate(j) })
	return col.values
}

func (c *cached[F]) evaluate(j int) []F {
	v := make([]F, c.r)
	if c.symmetric { // a row of tiles is faster to evaluate than a column
		c.tiles.fill(linalg.Matrix[F]{Rows: 1, Cols: c.r, Data: v, Stride: c.r}, j, 0)
	} else {
		c.tiles.fill(linalg.Matrix[F]{Rows: c.r, Cols: 1, Data: v, Stride: 1}, 0, j)
	}
	return v
}

// Column sets dst to column j.
func (c *cached[F]) Column(dst []float64, j int) {
	for i, v := range c.values(j) {
		dst[i] = float64(v)
	}
}

// Row sets dst to row i.
func (c *cached[F]) Row(dst []float64, i int) {
	if c.symmetric {
		c.Column(dst, i)
		return
	}
	c.lazy.Row(dst, i)
}

// Column32 returns column j; see the interface.
func (c *cached[F]) Column32(j int) []float32 {
	v := c.values(j)
	if f, ok := any(v).([]float32); ok {
		return f
	}
	f := make([]float32, len(v))
	for i, e := range v {
		f[i] = float32(e)
	}
	return f
}

// CacheStats says how often a column was found in the cache, and how often it
// had to be evaluated.
func (c *cached[F]) CacheStats() (hits, misses int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits, c.misses
}

// Describe says how the matrix is kept, and why.
func (c *cached[F]) Describe() string {
	return fmt.Sprintf("%s; room for %d of %d columns", c.describe(), c.capacity, c.c)
}

var (
	_ Accessor  = (*cached[float32])(nil)
	_ Columns32 = (*cached[float32])(nil)
	_ Accessor  = (*half[float32])(nil)
	_ Accessor  = (*lazy[float64])(nil)
	_ Accessor  = Dense{}
)
