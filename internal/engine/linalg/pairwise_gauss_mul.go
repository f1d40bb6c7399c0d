package linalg

import (
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// panelsTogether is the number of panels that meet a block one after the other
// while it is in the first-level cache.
const panelsTogether = 8

// MulTo sets dst = K·v, in parallel. Each element is one goroutine's, and its
// sum goes over the blocks of y in order, in float64 between them.
func (g *GaussSums[F]) MulTo(t int, dst, v []float64) {
	g.checkLengths(dst, v)
	w, unscale := weigh[F](v, g.yFactor, sumBlock)
	par.For(t, len(g.xMost), panelsTogether, func(lo, hi int) {
		out := make([]F, g.width)
		sums, direct := make([]float64, (hi-lo)*g.width), make([]float64, (hi-lo)*g.width)
		for b := range g.yMost {
			if g.stopped() {
				return
			}
			n := min(sumBlock, g.pairs.cols-b*sumBlock)
			for a := lo; a < hi; a++ {
				if !g.near(a, b) {
					g.addDirect(direct[(a-lo)*g.width:], v, a, b)
					continue
				}
				clear(out)
				simd.ExpSumProducts(g.panel(a), g.block(b), sumBlock, w[b*sumBlock:b*sumBlock+n], out)
				for l, s := range out {
					sums[(a-lo)*g.width+l] += float64(s)
				}
			}
		}
		for i := lo * g.width; i < min(hi*g.width, len(dst)); i++ {
			dst[i] = g.xFactor[i]*sums[i-lo*g.width]*unscale + direct[i-lo*g.width]
		}
	})
}

// addDirect adds the sums over block b for the points of panel a.
func (g *GaussSums[F]) addDirect(sums, v []float64, a, b int) {
	tile := g.direct(a, b)
	for i := range tile.Rows {
		for j, k := range tile.Row(i) {
			sums[i] += float64(k) * v[b*sumBlock+j]
		}
	}
}

// symRows is the number of blocks whose rows are taken together by MulSym, so
// that adding up what their columns gained is rare.
const symRows = 4

// MulSym is MulTo for a K whose sides are the same rows: the pairs below the
// diagonal are evaluated once and used twice. Rows of blocks are dealt to groups
// by position, each with an accumulator of its own as long as v, and the
// accumulators are added in order: the bits depend on groups, not on threads.
func (g *GaussSums[F]) MulSym(t int, groups int, dst, v []float64) {
	g.checkLengths(dst, v)
	if !g.pairs.symmetric {
		panic("linalg: half of the pairs between two different sets of rows")
	}
	w, unscale := weigh[F](v, g.yFactor, sumBlock)
	strips := (len(g.yMost) + symRows - 1) / symRows
	parts := make([]*symPart[F], groups)
	par.For(t, groups, 1, func(k, _ int) {
		s := &symPart[F]{g: g, v: v, w: w, sums: make([]float64, len(w)), out: make([]F, g.width),
			across: make([]F, sumBlock*g.width/2)}
		if g.far {
			s.direct = make([]float64, len(w))
		}
		for strip := strips - 1; strip >= 0; strip-- {
			// Out and back like a snake: strip k has k+1 squares.
			if place := strip % (2 * groups); place == k || place == 2*groups-1-k {
				s.strip(strip)
			}
		}
		parts[k] = s
	})
	for i := range dst {
		sum, direct := 0.0, 0.0
		for _, s := range parts {
			sum += s.sums[i]
			if s.direct != nil {
				direct += s.direct[i]
			}
		}
		dst[i] = g.xFactor[i]*sum*unscale + direct
	}
}

// symPart is the accumulators of one group.
type symPart[F Float] struct {
	g            *GaussSums[F]
	v            []float64
	w            []F
	sums, direct []float64
	out, across  []F
}

// strip adds the pairs of symRows blocks of rows with the blocks up to theirs.
func (s *symPart[F]) strip(strip int) {
	g := s.g
	each := sumBlock / g.width // panels of a block
	first, last := strip*symRows, min((strip+1)*symRows, len(g.yMost))
	for b := range last {
		if g.stopped() {
			return
		}
		clear(s.across)
		crossed := false
		for a := max(first, b) * each; a < min(last*each, len(g.xMost)); a++ {
			diagonal := a/each == b
			if !g.near(a, b) {
				s.addDirect(a, b, diagonal)
				continue
			}
			s.panel(a, b, diagonal)
			crossed = crossed || !diagonal
		}
		if crossed {
			s.addAcross(b)
		}
	}
}

// panel adds the values of panel a and block b: to the rows, and off the
// diagonal to the columns.
func (s *symPart[F]) panel(a, b int, diagonal bool) {
	g := s.g
	n := min(sumBlock, g.pairs.cols-b*sumBlock)
	w := s.w[b*sumBlock : b*sumBlock+n]
	clear(s.out)
	if diagonal {
		simd.ExpSumProducts(g.panel(a), g.block(b), sumBlock, w, s.out)
	} else {
		rows := s.w[a*g.width : (a+1)*g.width]
		simd.ExpSumBoth(g.panel(a), g.block(b), sumBlock, w, rows, s.out, s.across[:n*g.width/2])
	}
	sums := s.sums[a*g.width : (a+1)*g.width]
	for l, v := range s.out {
		sums[l] += float64(v)
	}
}

// addAcross adds up the lanes of each column of block b.
func (s *symPart[F]) addAcross(b int) {
	lanes := s.g.width / 2
	for j := range sumBlock {
		var even, odd F
		row := s.across[j*lanes : (j+1)*lanes]
		for l := 0; l+1 < len(row); l += 2 {
			even += row[l]
			odd += row[l+1]
		}
		s.sums[b*sumBlock+j] += float64(even) + float64(odd)
	}
}

// addDirect is panel for pairs beyond the limit.
func (s *symPart[F]) addDirect(a, b int, diagonal bool) {
	tile := s.g.direct(a, b)
	for i := range tile.Rows {
		row := a*s.g.width + i
		for j, k := range tile.Row(i) {
			col := b*sumBlock + j
			s.direct[row] += float64(k) * s.v[col]
			if !diagonal {
				s.direct[col] += float64(k) * s.v[row]
			}
		}
	}
}
