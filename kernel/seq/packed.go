package seq

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// grams are the substrings of a string as numbers, ascending, and how often each occurs.
type grams struct {
	key   []uint64
	count []float64
}

// packedGrams are the substrings of n letters of ASCII, n ≤ 8, the letters of one as the bytes of a number. Others are left
// out: no string of ASCII has them.
func packedGrams(s string, n int) grams {
	var g grams
	key, mask := uint64(0), ^uint64(0)>>(64-8*n)
	all := make([]uint64, 0, len(s))
	run := 0 // letters of ASCII up to here
	for i := range len(s) {
		key = (key<<8 | uint64(s[i])) & mask
		if run++; s[i] >= utf8.RuneSelf {
			run = 0
		}
		if run >= n {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	for i, v := range all {
		if i == 0 || v != all[i-1] {
			g.key, g.count = append(g.key, v), append(g.count, 0)
		}
		g.count[len(g.count)-1]++
	}
	return g
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

// packedColumns is the substrings of one side, ascending, and the products of its counts with themselves.
type packedColumns struct {
	known    []uint64
	products *linalg.RowProducts
}

func newPackedColumns(points []grams) *packedColumns {
	var known []uint64
	for _, g := range points {
		known = append(known, g.key...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	rows := numbered(points, known)
	return &packedColumns{known, linalg.NewRowProducts(rows, rows)}
}

// numbered is counts as sparse rows, with a column for each known substring. Those that the other side has not are left out: their
// products are 0.
func numbered(points []grams, known []uint64) *linalg.CSR {
	m := &linalg.CSR{Rows: len(points), Cols: len(known), Ptr: make([]int, len(points)+1)}
	for i, g := range points {
		from := 0
		for q, key := range g.key {
			at, found := slices.BinarySearch(known[from:], key)
			if from += at; found {
				m.Index, m.Value = append(m.Index, int32(from)), append(m.Value, g.count[q])
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
