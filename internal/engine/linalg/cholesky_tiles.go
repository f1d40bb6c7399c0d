package linalg

import (
	"sync/atomic"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// The factorisation by tiles follows A. Buttari, J. Langou, J. Kurzak, J. Dongarra, "A class of
// parallel tiled linear algebra algorithms for multicore architectures", Parallel Computing 35
// (2009), in the left-looking order: tile (i, j) is
//
//	A_ij ← A_ij − Σ_{k<j} L_ik·L_jkᵀ,  then L_jj by factoring it, or L_ij = A_ij·L_jj⁻ᵀ.
//
// A goroutine takes the next tile, column after column, and waits for no more than the tiles that
// it reads. The recursion has a barrier for each of its products instead, most of them small: 16
// threads spent most of their time there up to order 4,000. Each finished tile is packed once, and
// multiplied from its panels ever after. How the sum is cut depends on the order alone.
const (
	tileOrder  = 96   // of a tile: a multiple of every register tile's rows and columns
	tileSlice  = 4    // tiles of one piece of the summation: their panels stay in L2
	tiledLeast = 192  // order up to which one goroutine is as fast by the recursion
	tiledMost  = 3072 // order from which the recursion's products are large; the panels take n² numbers
)

// tiledFactor is one factorisation by tiles.
type tiledFactor[F Float] struct {
	tiles[F]
	crew        crew
	first       int            // number of the first pivot
	left, right []panels[F]    // of each block row: its finished tiles left of the diagonal
	done        []atomic.Int32 // how many of them, and the one on the diagonal
	next        atomic.Int32   // tiles handed out
	failed      atomic.Bool    // nobody waits any more
	err         error          // of the one tile on a diagonal that is not positive definite
}

func choleskyTiled[F Float](w crew, a Matrix[F], first int) error {
	f := &tiledFactor[F]{tiles: tilesOf(a), crew: w, first: first}
	f.done = make([]atomic.Int32, f.blocks)
	depth := func(lo int) int { return lo }
	var freeLeft, freeRight func()
	f.left, freeLeft = f.borrowLeft(depth)
	defer freeLeft()
	f.right, freeRight = f.borrowRight(depth)
	defer freeRight()
	together(min(par.Workers(w.threads), f.blocks), &f.failed, f.work)
	if f.err == nil && w.stopped() {
		return w.ctx.Err()
	}
	return f.err
}

// work takes tiles until there are none. The earliest tile that is not finished waits for nobody,
// so that there is always one who goes on.
func (f *tiledFactor[F]) work() {
	scratch := borrow[F](f.tile.MR * f.tile.NR)
	defer giveBack(scratch)
	for {
		k := int(f.next.Add(1)) - 1
		j := 0
		for ; j < f.blocks && k >= f.blocks-j; j++ {
			k -= f.blocks - j
		}
		if j == f.blocks || !f.finish(j+k, j, *scratch) {
			return
		}
	}
}

// finish makes the tile (i, j) of L, or returns false when the factorisation has ended before.
func (f *tiledFactor[F]) finish(i, j int, scratch []F) bool {
	for k := 0; k < j; {
		// The last of the summands is finished last: it is a piece of its own.
		next := min(k+tileSlice, j-1)
		if k == j-1 {
			next = j
		}
		if !f.wait(i, next) || !f.wait(j, next) {
			return false
		}
		f.subtract(i, j, k, next, scratch)
		k = next
	}
	r0, r1 := f.span(i)
	c0, c1 := f.span(j)
	tile := f.m.Slice(r0, r1, c0, c1)
	if i == j {
		if err := choleskyRecursive(f.crew.alone(), tile, f.first+r0); err != nil {
			f.err = err
			f.failed.Store(true)
			return false
		}
	} else {
		if !f.wait(j, j+1) {
			return false
		}
		trsm(f.crew.alone(), Right, Lower, Trans, NonUnit, 1, f.m.Slice(c0, c1, c0, c1), tile)
		f.pack(i, j)
	}
	f.done[i].Add(1)
	return true
}

// wait returns when the first n tiles of block row i are finished, or false when the factorisation
// has ended before.
func (f *tiledFactor[F]) wait(i, n int) bool {
	return spin(func() bool { return int(f.done[i].Load()) >= n }, func() bool {
		return f.failed.Load() ||
			f.crew.stopped()
	})
}

// subtract takes the tiles k0 … k1-1 of the sum from tile (i, j).
func (f *tiledFactor[F]) subtract(i, j, k0, k1 int, scratch []F) {
	r0, r1 := f.span(i)
	c0, c1 := f.span(j)
	part := Full
	if i == j {
		part = Lower
	}
	p := panelProduct[F]{f.tile, part, -1, f.left[i], f.right[j], f.m, scratch}
	p.add(1, r0, r1, c0, c1, k0*tileOrder, k0*tileOrder, (k1-k0)*tileOrder)
}

// pack puts the finished tile (i, k) into the panels of its row.
func (f *tiledFactor[F]) pack(i, k int) {
	r0, r1 := f.span(i)
	at := k * tileOrder
	f.left[i].packLeft(f.tile, byRow[F](f.m), r0, r1-r0, at, at, tileOrder)
	f.right[i].packRight(f.tile, byRow[F](f.m), r0, r1-r0, at, at, tileOrder)
}
