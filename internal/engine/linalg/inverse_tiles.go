package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// The inverse of a factor by tiles. Its columns do not depend on each other, and neither do the
// tiles of Mᵀ·M: two stages each, where the recursion has a barrier for every small product.

// inverseRows is how many columns of M = L⁻¹ of order n are one piece of work: they are rows of U =
// Mᵀ. Each piece reads all of L, which counts where that comes from memory; where it does not,
// pieces are smaller, for more goroutines.
func inverseRows(n int) int {
	if n < 1500 {
		return tileOrder / 4
	}
	return tileOrder
}

// tiles is a lower triangular matrix cut into blocks of tileOrder.
type tiles[F Float] struct {
	m      Matrix[F]
	tile   *simd.Tile[F]
	blocks int
}

func tilesOf[F Float](m Matrix[F]) tiles[F] {
	return tiles[F]{m, simd.TileOf[F](), pieces(m.Rows, tileOrder)}
}

// span gives the rows of block i.
func (t tiles[F]) span(i int) (lo, hi int) {
	return i * tileOrder, min((i+1)*tileOrder, t.m.Rows)
}

// invertLowerTiled overwrites the lower triangle of m with its inverse M; the other is not touched.
// The rows u of U = Mᵀ solve u·Lᵀ = e: block after block,
//
//	u_k = (e_k − Σ_{l<k} u_l·L_klᵀ)·L_kk⁻ᵀ.
func invertLowerTiled[F Float](w crew, m Matrix[F]) {
	t := tilesOf(m)
	right, free := t.borrowRight(func(lo int) int { return lo })
	defer free()
	corners := borrow[F](t.blocks * tileOrder * tileOrder)
	defer giveBack(corners)
	corner := func(i int) Matrix[F] {
		lo, hi := t.span(i)
		return Matrix[F]{Rows: hi - lo, Cols: hi - lo, Stride: tileOrder,
			Data: (*corners)[i*tileOrder*tileOrder:][:(hi-lo-1)*tileOrder+hi-lo]}
	}
	width := inverseRows(m.Rows)
	parts := tileOrder / width
	w.inStages([]stagePieces{{t.blocks, t.blocks}, {0, parts * t.blocks}}, func(s, p int) {
		if s == 0 {
			lo, hi := t.span(p)
			if lo > 0 {
				right[p].packRight(t.tile, byRow[F](m), lo, hi-lo, 0, 0, lo)
			}
			corner(p).CopyFrom(m.Slice(lo, hi, lo, hi))
			return
		}
		first := p/parts*tileOrder + p%parts*width
		if rows := min(width, m.Rows-first); rows > 0 {
			t.invertColumns(p/parts, first, rows, right, corner)
		}
	})
}

// invertColumns finds the columns first … first+rows of M, which begin in block.
func (t tiles[F]) invertColumns(block, first, rows int, right []panels[F], corner func(int) Matrix[F]) {
	begin, n := block*tileOrder, t.m.Rows
	depth := n - begin
	scratch := borrow[F](t.tile.MR * t.tile.NR)
	defer giveBack(scratch)
	packed := borrow[F](roundUp(rows, t.tile.MR) * depth)
	defer giveBack(packed)
	room := borrow[F](rows * tileOrder)
	defer giveBack(room)
	left := panels[F]{*packed, depth}
	for k := block; k < t.blocks; k++ {
		lo, hi := t.span(k)
		u := Matrix[F]{Rows: rows, Cols: hi - lo, Stride: hi - lo, Data: (*room)[:rows*(hi-lo)]}
		clear(u.Data)
		if k == block {
			for r := range rows {
				u.Set(r, first-begin+r, 1)
			}
		}
		product := panelProduct[F]{t.tile, Full, -1, left, right[k], u, *scratch}
		for p := begin; p < lo; p += tileSlice * tileOrder {
			product.add(1, 0, rows, 0, hi-lo, p-begin, p, min(tileSlice*tileOrder, lo-p))
		}
		trsm(crew{threads: 1}, Right, Lower, Trans, NonUnit, 1, corner(k), u)
		if k+1 < t.blocks {
			left.packLeft(t.tile, byRow[F](u), 0, rows, 0, lo-begin, hi-lo)
		}
		for i := max(lo, first); i < hi; i++ {
			to := t.m.Row(i)[first:min(first+rows, i+1)]
			for r := range to {
				to[r] = u.Data[r*u.Stride+i-lo]
			}
		}
	}
}

// multiplyTransposedTiled overwrites the lower triangular m with the lower triangle of mᵀ·m. The
// other triangle is not touched.
func multiplyTransposedTiled[F Float](w crew, m Matrix[F]) {
	t := tilesOf(m)
	n := m.Rows
	depth := func(lo int) int { return n - lo }
	left, freeLeft := t.borrowLeft(depth)
	defer freeLeft()
	right, freeRight := t.borrowRight(depth)
	defer freeRight()
	w.inStages([]stagePieces{{t.blocks, t.blocks}, {0, t.blocks * (t.blocks + 1) / 2}}, func(s, p int) {
		if s == 0 {
			t.packTransposed(p, left[p], right[p])
			return
		}
		i := 0
		for ; p > i; i++ {
			p -= i + 1
		}
		part := Full
		if i == p {
			part = Lower
		}
		scratch := borrow[F](t.tile.MR * t.tile.NR)
		defer giveBack(scratch)
		r0, r1 := t.span(i)
		c0, c1 := t.span(p)
		product := panelProduct[F]{t.tile, part, 1, left[i], right[p], m, *scratch}
		for k := r0; k < n; k += tileSlice * tileOrder {
			beta := F(1)
			if k == r0 {
				beta = 0
			}
			product.add(beta, r0, r1, c0, c1, k-r0, k-c0, min(tileSlice*tileOrder, n-k))
		}
	})
}

// packTransposed packs block i of the columns of m as both factors.
func (t tiles[F]) packTransposed(i int, left, right panels[F]) {
	lo, hi := t.span(i)
	corner := New[F](hi-lo, hi-lo)
	for r := range hi - lo {
		copy(corner.Row(r), t.m.Row(lo + r)[lo:lo+r+1])
	}
	below, top := byColumn[F](t.m), byColumn[F](corner)
	left.packLeft(t.tile, top, 0, hi-lo, 0, 0, hi-lo)
	right.packRight(t.tile, top, 0, hi-lo, 0, 0, hi-lo)
	if hi < t.m.Rows {
		left.packLeft(t.tile, below, lo, hi-lo, hi, hi-lo, t.m.Rows-hi)
		right.packRight(t.tile, below, lo, hi-lo, hi, hi-lo, t.m.Rows-hi)
	}
}

// borrowLeft is room for each block as a left factor of depth(first row) terms, until free is
// called.
func (t tiles[F]) borrowLeft(depth func(lo int) int) (blocks []panels[F], free func()) {
	return t.borrow(depth, func(rows int) int { return roundUp(rows, t.tile.MR) })
}

// borrowRight is borrowLeft for right factors.
func (t tiles[F]) borrowRight(depth func(lo int) int) (blocks []panels[F], free func()) {
	return t.borrow(depth, func(rows int) int { return roundUp(rows, t.tile.Lanes) })
}

func (t tiles[F]) borrow(depth func(lo int) int, width func(rows int) int) (blocks []panels[F], free func()) {
	size := 0
	at := make([]int, t.blocks+1)
	for i := range t.blocks {
		lo, hi := t.span(i)
		size += width(hi-lo) * depth(lo)
		at[i+1] = size
	}
	store := borrow[F](size)
	blocks = make([]panels[F], t.blocks)
	for i := range blocks {
		lo, _ := t.span(i)
		blocks[i] = panels[F]{(*store)[at[i]:at[i+1]], depth(lo)}
	}
	return blocks, func() { giveBack(store) }
}
