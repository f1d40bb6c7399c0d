package seq

import (
	"context"
	"math/bits"
	"sync"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// grams are the substrings of a string as numbers, in the order in which they first come, and how
// often each occurs.
type grams struct {
	key   []uint64
	count []float64
}

// packedGrams are the substrings of n letters of ASCII, n ≤ 8, the letters of one as the bytes of a
// number. Others are left out: no string of ASCII has them.
func packedGrams(s string, n int) grams {
	room := min(max(len(s)-n+1, 0), 1<<12)
	g := grams{key: make([]uint64, 0, room), count: make([]float64, 0, room)}
	table := tablePool.Get().(*gramTable)
	defer tablePool.Put(table)
	table.reset(room)
	key, mask := uint64(0), ^uint64(0)>>(64-8*n)
	run := 0 // letters of ASCII up to here
	for i := range len(s) {
		key = (key<<8 | uint64(s[i])) & mask
		if run++; s[i] >= utf8.RuneSelf {
			run = 0
		}
		if run < n {
			continue
		}
		number := table.number(key)
		if number == len(g.key) {
			g.key, g.count = append(g.key, key), append(g.count, 0)
		}
		g.count[number]++
	}
	return g
}

// gramTable numbers substrings in the order in which they come: a hash table with open addresses,
// at most half full.
type gramTable struct {
	place []gramPlace
	shift int
	count int
}

type gramPlace struct {
	key  uint64
	next int32 // its number and 1; 0: nobody's place
}

var tablePool = sync.Pool{New: func() any { return new(gramTable) }}

// reset makes an empty table with room for so many before it grows.
func (t *gramTable) reset(most int) {
	width := bits.Len(uint(2*most + 1))
	t.shift, t.count = 64-width, 0
	if cap(t.place) < 1<<width {
		t.place = make([]gramPlace, 1<<width)
		return
	}
	t.place = t.place[:1<<width]
	clear(t.place)
}

// find is the place of a key, or the free one where it would stand.
func (t *gramTable) find(key uint64) *gramPlace {
	at := key * 0x9e3779b97f4a7c15 >> t.shift // Fibonacci hashing: 2⁶⁴ over the golden ratio
	for t.place[at].next != 0 && t.place[at].key != key {
		at = (at + 1) & uint64(len(t.place)-1)
	}
	return &t.place[at]
}

// number is that of a key, the next one where it is new.
func (t *gramTable) number(key uint64) int {
	at := t.find(key)
	if at.next != 0 {
		return int(at.next) - 1
	}
	if 2*t.count >= len(t.place) {
		old, count := t.place, t.count
		t.place = nil
		t.reset(2 * count)
		for _, p := range old {
			if p.next != 0 {
				*t.find(p.key) = p
			}
		}
		t.count = count
		at = t.find(key)
	}
	t.count++
	*at = gramPlace{key, int32(t.count)}
	return t.count - 1
}

// preparePacked is the Rectangle of the spectrum kernel against strings y of ASCII.
func preparePacked(ctx context.Context, x, y data.Points[string], n int) kernel.Rectangle {
	u, v := kernel.MapBoth(ctx, x, y, func(s string) grams { return packedGrams(s, n) })
	columns := kernel.Kept(ctx, y, func() *packedColumns { return newPackedColumns(v) })
	products := columns.products
	if !kernel.SamePoints(x, y) {
		products = products.WithRows(numbered(u, columns.known))
	}
	return func(dst *mat.Dense, i, j int) { products.Tile(linalg.Of(dst), i, j) }
}

// packedColumns is the numbers of the substrings of one side, and the products of its counts with
// themselves.
type packedColumns struct {
	known    *gramTable
	products *linalg.RowProducts
}

func newPackedColumns(points []grams) *packedColumns {
	known := new(gramTable)
	known.reset(1 << 10)
	for _, g := range points {
		for _, key := range g.key {
			known.number(key)
		}
	}
	rows := numbered(points, known)
	return &packedColumns{known, linalg.NewRowProducts(rows, rows)}
}

// numbered is counts as sparse rows, with a column for each known substring. Those that the other
// side has not are left out: their products are 0. Counts are whole numbers, so that sums of
// products are the same in any order of the columns.
func numbered(points []grams, known *gramTable) *linalg.CSR {
	entries := 0
	for _, g := range points {
		entries += len(g.key)
	}
	m := &linalg.CSR{Rows: len(points), Cols: known.count, Ptr: make([]int, len(points)+1),
		Index: make([]int32, 0, entries), Value: make([]float64, 0, entries)}
	for i, g := range points {
		for q, key := range g.key {
			if at := known.find(key); at.next > 0 {
				m.Index, m.Value = append(m.Index, at.next-1), append(m.Value, g.count[q])
			}
		}
		m.Ptr[i+1] = len(m.Index)
	}
	return m
}

func ascii(x data.Points[string]) bool {
	for i := range x.Len() {
		s := x.At(i)
		for j := range len(s) {
			if s[j] >= utf8.RuneSelf {
				return false
			}
		}
	}
	return true
}
