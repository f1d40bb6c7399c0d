package linalg

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// The blocked product follows K. Goto, R. van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008, with the
// parallel loop over two-dimensional units of C.
//
//	for each block of C that stays in the last-level cache
//	  for each slice of the summation                      (depth ≈ kc)
//	    pack the slice of A and of B into panels, shared
//	    for each unit of C, in parallel                    (its panels in L2)
//	      for each panel of A                              (in L1)
//	        for each panel of B: one register tile
//
// A panel of A is a third of one of B, which would fill L1 alone; and walking
// along the rows of C touches as many pages as a tile has rows. Deep slices read and write C less
// often, which counts where C is in memory; a unit's panels of B must stay in L2, which is larger
// where the tile is. A stage multiplies one slice and packs the next, so that there is one
// barrier a slice. How the work is cut depends on the shapes alone; an element
// of C is summed in the same order at any thread count.
const (
	deepSlice  = 512 // terms of a slice with tiles of 8 rows: processors of some megabytes of L2
	slice      = 384 // with smaller ones
	unitRows   = 240
	unitCols   = 192
	blockSide  = 4096    // of a block of C: larger ones repack less
	packChunk  = 192     // rows of A or columns of B packed as one piece of work
	serialWork = 1 << 19 // multiplications below which threads cost more than they bring
)

// product is c = alpha·A·B + beta·c on the part of C it names.
type product[F Float] struct {
	crew  crew
	part  Triangle
	alpha F
	a, b  source[F]
	from  int // first term of the summation
	depth int // number of terms
	beta  F
	c     Matrix[F]
	// done, if set, is called once for each finished unit of C, from several goroutines.
	done func(tile Matrix[F], i, j int)
}

// stage is one slice of the summation for one block of C.
type stage struct {
	i0, m, j0, n int // the block of C
	p0, k        int // the slice
	first, last  bool
}

// cut divides n into pieces of nearly equal size, multiples of unit, none
// larger than most (also a multiple of unit), and returns the size.
func cut(n, most, unit int) int {
	pieces := (n + most - 1) / most
	each := (n + pieces - 1) / pieces
	return (each + unit - 1) / unit * unit
}

func (pr *product[F]) run() {
	if terms := pr.deepPiece(); terms < pr.depth {
		pr.runDeep(terms)
		return
	}
	pr.runWhole()
}

// runWhole goes through the blocks of C in stages.
func (pr *product[F]) runWhole() {
	tile := simd.TileOf[F]()
	m, n := pr.c.Rows, pr.c.Cols
	depth := cut(pr.depth, slice, 4)
	if tile.MR >= 8 {
		depth = cut(pr.depth, deepSlice, 4)
	}
	mb := cut(m, blockSide/tile.MR*tile.MR, tile.MR)
	nb := cut(n, blockSide/tile.NR*tile.NR, tile.NR)

	if m*n*pr.depth <= serialWork && pr.depth <= depth {
		pr.runSerial(tile)
		return
	}
	var stages []stage
	for i0 := 0; i0 < m; i0 += mb {
		for j0 := 0; j0 < n; j0 += nb {
			rows, cols := min(mb, m-i0), min(nb, n-j0)
			if pr.part.outside(i0, rows, j0, cols) {
				continue
			}
			for p0 := 0; p0 < pr.depth; p0 += depth {
				k := min(depth, pr.depth-p0)
				stages = append(stages, stage{i0, rows, j0, cols, pr.from + p0, k, p0 == 0, p0+k == pr.depth})
			}
		}
	}
	// Two sets of panels: one is multiplied while the other is packed.
	sizeA := roundUp(min(mb, m), tile.MR) * depth
	sizeB := roundUp(min(nb, n), tile.NR) * depth
	sets := 2
	if len(stages) == 1 {
		sets = 1
	}
	buf := borrow[F](sets * (sizeA + sizeB))
	defer giveBack(buf)
	panels := func(s int) (a, b []F) {
		set := (*buf)[(s%2)*(sizeA+sizeB):]
		return set[:sizeA], set[sizeA : sizeA+sizeB]
	}
	// Stage 0 packs the first set, stage s multiplies set s-1 and packs the next.
	units := make([][]unit, len(stages))
	work := make([]stagePieces, len(stages)+1)
	for s, st := range stages {
		if s > 0 && st.sameBlock(stages[s-1]) {
			units[s] = units[s-1]
		} else {
			units[s] = pr.units(tile, st)
		}
		near := len(units[s])
		if s == len(stages)-1 {
			units[s], near = finerTail(units[s], tile.MR)
		}
		work[s].all += packPieces(tile, st)
		work[s+1] = stagePieces{near, len(units[s])}
	}
	w := pr.crew
	if m*n*pr.depth <= serialWork {
		w = w.alone()
	}
	w.inStages(work, func(s, p int) {
		if s > 0 {
			if u := units[s-1]; p < len(u) {
				a, b := panels(s - 1)
				var soon []F
				if p+1 < len(u) && u[p+1].j != u[p].j {
					soon = b[u[p+1].j*stages[s-1].k:][:u[p+1].cols*stages[s-1].k]
				}
				pr.unit(tile, stages[s-1], a, b, soon, u[p])
				return
			}
			p -= len(units[s-1])
		}
		a, b := panels(s)
		pr.packPiece(tile, stages[s], a, b, p)
	})
}

// runSerial is run for a product that is not worth sharing: one stage of one unit.
func (pr *product[F]) runSerial(t *simd.Tile[F]) {
	m, n, k := pr.c.Rows, pr.c.Cols, pr.depth
	sizeA, sizeB := roundUp(m, t.MR)*k, roundUp(n, t.NR)*k
	buf := borrow[F](sizeA + sizeB)
	defer giveBack(buf)
	a, b := (*buf)[:sizeA], (*buf)[sizeA:sizeA+sizeB]
	packPanels(t, pr.a, a, t.MR, 0, m, pr.from, k, func(int) int { return t.MR })
	packPanels(t, pr.b, b, t.NR, 0, n, pr.from, k, t.Width)
	pr.unit(t, stage{m: m, n: n, k: k, first: true, last: true}, a, b, nil, unit{0, m, 0, n})
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// sameBlock says whether two stages are slices of one block of C.
func (s stage) sameBlock(o stage) bool {
	return s.i0 == o.i0 && s.m == o.m && s.j0 == o.j0 && s.n == o.n && s.k == o.k
}

// packPieces is the number of pieces of work that pack the panels of a stage.
func packPieces[F Float](t *simd.Tile[F], s stage) int {
	return pieces(s.m, roundUp(packChunk, t.MR)) + pieces(s.n, roundUp(packChunk, t.NR))
}

func pieces(n, each int) int { return (n + each - 1) / each }

// packPiece packs one of them: some rows of A, or some columns of B.
func (pr *product[F]) packPiece(t *simd.Tile[F], s stage, a, b []F, p int) {
	src, dst, i0, n, w, width := pr.a, a, s.i0, s.m, t.MR, func(int) int { return t.MR }
	if ofA := pieces(s.m, roundUp(packChunk, t.MR)); p >= ofA {
		p -= ofA
		src, dst, i0, n, w, width = pr.b, b, s.j0, s.n, t.NR, t.Width
	}
	chunk := roundUp(packChunk, w)
	lo := p * chunk
	packPanels(t, src, dst[lo*s.k:], w, i0+lo, min(chunk, n-lo), s.p0, s.k, width)
}

// unit is a part of a stage's block of C that one goroutine multiplies.
type unit struct{ i, rows, j, cols int }

// units cuts the block of a stage. Neighbours in the list share panels of B.
func (pr *product[F]) units(t *simd.Tile[F], s stage) []unit {
	ur, uc := unitRows, unitCols
	// Few units would leave threads idle: cut them smaller, but not below a
	// few hundred microseconds of work.
	for pieces(s.m, ur)*pieces(s.n, uc) < 12 && min(ur, s.m)*min(uc, s.n)*s.k > 1<<20 && ur > 24 {
		if min(ur, s.m) >= min(uc, s.n) {
			ur /= 2
		} else {
			uc /= 2
		}
	}
	rows, cols := spread(s.m, max(ur/t.MR, 1)*t.MR, t.MR), spread(s.n, max(uc/t.NR, 1)*t.NR, t.NR)
	var list []unit
	for q, j := range cols[:len(cols)-1] {
		for p, i := range rows[:len(rows)-1] {
			u := unit{i, rows[p+1] - i, j, cols[q+1] - j}
			if !pr.part.outside(s.i0+u.i, u.rows, s.j0+u.j, u.cols) {
				list = append(list, u)
			}
		}
	}
	return list
}

// spread divides n like cut, but as evenly as multiples of unit allow, and
// returns where the pieces begin, and n: a last piece of few columns would have
// little to do with each panel of A it reads.
func spread(n, most, unit int) []int {
	parts, steps := pieces(n, most), pieces(n, unit)
	at := make([]int, parts+1)
	for p := range parts {
		at[p] = steps * p / parts * unit
	}
	at[parts] = n
	return at
}

// finerTail cuts the last few units in four, and returns how many are whole: in the last stage
// there is no packing to fill the time in which one goroutine has finished and another has not.
func finerTail(list []unit, mr int) ([]unit, int) {
	const last = 4
	whole := max(len(list)-last, 0)
	fine := slices.Clone(list[:whole])
	for _, u := range list[whole:] {
		rows := max(cut(u.rows, roundUp(u.rows/4+1, mr), mr), 3*mr)
		for i := 0; i < u.rows; i += rows {
			fine = append(fine, unit{u.i + i, min(rows, u.rows-i), u.j, u.cols})
		}
	}
	return fine, whole
}

// unit multiplies the panels under u, a part of the stage's block. Meanwhile it
// fetches out of L3 what comes next: the first tiles along a panel of A its successor, the others
// some of soon, the panels of B of the next unit where they are not those of this one.
func (pr *product[F]) unit(t *simd.Tile[F], s stage, a, b, soon []F, u unit) {
	beta := F(1)
	if s.first {
		beta = pr.beta
	}
	scratch := borrow[F](t.MR * t.NR)
	defer giveBack(scratch)
	fetched := t.Fetched(s.k) // elements that a tile fetches
	for ii := u.i; ii < u.i+u.rows; ii += t.MR {
		nr := min(t.MR, u.i+u.rows-ii)
		ap := a[ii*s.k : (ii+t.MR)*s.k]
		var after []F
		if ii+t.MR < u.i+u.rows {
			after = a[(ii+t.MR)*s.k : (ii+2*t.MR)*s.k]
		}
		for jj := u.j; jj < u.j+u.cols; jj += t.NR {
			nc := min(t.NR, u.j+u.cols-jj)
			gi, gj := s.i0+ii, s.j0+jj
			if pr.part.outside(gi, nr, gj, nc) {
				continue
			}
			w := t.Width(nc)
			bp := b[jj*s.k : jj*s.k+w*s.k]
			next := ap
			switch {
			case len(after) > 0:
				next, after = after, after[min(fetched, len(after)):]
			case len(soon) > 0:
				next, soon = soon, soon[min(fetched, len(soon)):]
			}
			c := pr.c.Data[gi*pr.c.Stride+gj:]
			if nr == t.MR && nc == w && pr.part.inside(gi, nr, gj, nc) {
				t.Gemm(s.k, w, pr.alpha, ap, bp, beta, c, pr.c.Stride, next)
				continue
			}
			t.Gemm(s.k, w, pr.alpha, ap, bp, 0, *scratch, w, next)
			for r := range nr {
				lo, hi := pr.part.columns(gi+r, gj, nc)
				blend(beta, c[r*pr.c.Stride:], (*scratch)[r*w:], lo, hi)
			}
		}
	}
	if s.last && pr.done != nil {
		gi, gj := s.i0+u.i, s.j0+u.j
		pr.done(pr.c.Slice(gi, gi+u.rows, gj, gj+u.cols), gi, gj)
	}
}

// blend does dst[j] = beta*dst[j] + src[j] for lo ≤ j < hi; with beta = 0, dst
// is not read.
func blend[F Float](beta F, dst, src []F, lo, hi int) {
	if hi <= lo {
		return
	}
	dst, src = dst[lo:hi], src[lo:hi]
	switch beta {
	case 0:
		copy(dst, src)
	case 1:
		simd.Axpy(1, src, dst)
	default:
		for j, v := range src {
			dst[j] = beta*dst[j] + v
		}
	}
}
