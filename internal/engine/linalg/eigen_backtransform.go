package linalg

import (
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// backtransformBlock is the number of reflectors applied at once.
const backtransformBlock = 64

// backtransformRows is how many rows of x meet them in one goroutine. A row's values do not depend
// on its neighbours, so that this may depend on the threads: as many as stay in L2 for one, and for
// several so many that all have the same number of pieces.
func backtransformRows(rows, threads int) int {
	most, workers := 240, par.Workers(threads)
	if workers > 1 {
		most = 120
	}
	return max(roundUp(pieces(rows, workers*pieces(rows, workers*most)), 8), 24)
}

// reflectorBlock is some of the reflectors: H₍ₗₒ₎···H₍ₕᵢ₋₁₎ = I − Vᵀ·T·V, packed to be multiplied
// from the right by Vᵀ and by V.
type reflectorBlock struct {
	k, m int // V is k×m
	t    Matrix[float64]
	vt   panels[float64] // columns of Vᵀ, of depth m
	v    panels[float64] // columns of V, of depth k
}

// applyRight replaces the rows of x, each a vector in the basis in which A is
// tridiagonal, by Q times them: x ← x·Qᵀ = x·H₁·H₂···H₍ₙ₋₁₎.
//
// Consecutive reflectors are aggregated in the compact form
// H₍ₗₒ₎···H₍ₕᵢ₋₁₎ = I − Vᵀ·T·V with T upper triangular (Schreiber & Van Loan
// 1989), so that nearly all work is products. Rows of x do not depend on each other: some of them
// go through all blocks in one goroutine, without a barrier.
func (r *tridiagonal) applyRight(w crew, x Matrix[float64]) {
	n := r.reflectors.Rows
	if x.Rows == 0 || n < 2 {
		return
	}
	tile := simd.TileOf[float64]()
	blocks := make([]reflectorBlock, pieces(n-1, backtransformBlock))
	w.each(len(blocks), 1, func(i, _ int) {
		i = len(blocks) - 1 - i // the longest first
		lo := 1 + i*backtransformBlock
		blocks[i] = r.block(tile, lo, min(lo+backtransformBlock, n))
	})
	w.each(x.Rows, backtransformRows(x.Rows, w.threads), func(lo, hi int) {
		if !w.stopped() {
			applyBlocks(tile, blocks, x, lo, hi)
		}
	})
}

// block aggregates the reflectors lo … hi−1.
func (r *tridiagonal) block(tile *simd.Tile[float64], lo, hi int) reflectorBlock {
	b := reflectorBlock{k: hi - lo, m: hi - 1, t: New[float64](hi-lo, hi-lo)}
	v := New[float64](b.k, b.m)
	for i := lo; i < hi; i++ {
		copy(v.Row(i-lo), r.reflectors.Data[i*r.reflectors.Stride:i*r.reflectors.Stride+i])
	}
	compactFactor(crew{threads: 1}, v, r.tau[lo:hi], New[float64](b.k, b.k), b.t)
	b.vt = panels[float64]{make([]float64, roundUp(b.k, tile.Lanes)*b.m), b.m}
	b.vt.packRight(tile, byRow[float64](v), 0, b.k, 0, 0, b.m)
	b.v = panels[float64]{make([]float64, roundUp(b.m, tile.Lanes)*b.k), b.k}
	b.v.packRight(tile, byColumn[float64](v), 0, b.m, 0, 0, b.k)
	return b
}

// applyBlocks applies all blocks to the rows lo … hi−1 of x.
func applyBlocks(tile *simd.Tile[float64], blocks []reflectorBlock, x Matrix[float64], lo, hi int) {
	n, rows := x.Cols, roundUp(hi-lo, tile.MR)
	packed, scratch := borrow[float64](rows*max(n, backtransformBlock)), borrow[float64](tile.MR*tile.NR)
	defer giveBack(packed)
	defer giveBack(scratch)
	xv, xvt := New[float64](hi-lo, backtransformBlock), New[float64](hi-lo, backtransformBlock)
	for _, b := range blocks {
		left, right := xv.Slice(0, hi-lo, 0, b.k), xvt.Slice(0, hi-lo, 0, b.k)
		whole := panels[float64]{*packed, b.m}
		whole.packLeft(tile, byRow[float64](x), lo, hi-lo, 0, 0, b.m)
		by := panelProduct[float64]{tile, Full, 1, whole, b.vt, left, *scratch}
		for p := 0; p < b.m; p += slice {
			beta := 1.0
			if p == 0 {
				beta = 0
			}
			by.add(beta, 0, hi-lo, 0, b.k, p, p, min(slice, b.m-p))
		}
		gemm(crew{threads: 1}, NoTrans, NoTrans, 1, left, b.t, 0, right)
		some := panels[float64]{*packed, b.k}
		some.packLeft(tile, byRow[float64](right), 0, hi-lo, 0, 0, b.k)
		panelProduct[float64]{tile, Full, -1, some, b.v, x, *scratch}.add(1, lo, hi, 0, b.m, 0, 0, b.k)
	}
}

// compactFactor sets tm to the upper triangular T of
// H₀·H₁···H₍ₖ₋₁₎ = I − Vᵀ·T·V, for reflectors in the rows of v.
func compactFactor(w crew, v Matrix[float64], tau []float64, gram, tm Matrix[float64]) {
	gemm(w, NoTrans, Trans, 1, v, v, 0, gram)
	for j := range v.Rows {
		for i := range v.Rows {
			tm.Set(i, j, 0)
		}
		// T[:j, j] = −τⱼ·T[:j, :j]·(V[:j]·vⱼ)
		for i := range j {
			s := 0.0
			for l := i; l < j; l++ {
				s += tm.At(i, l) * gram.At(l, j)
			}
			tm.Set(i, j, -tau[j]*s)
		}
		tm.Set(j, j, tau[j])
	}
}
