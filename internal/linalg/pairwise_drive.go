package linalg

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/par"
)

// Square tiles the whole-matrix drivers hand out to goroutines.
const pairTile = 512

// PairwiseFull sets dst[a, b] = κ(metric(x[a], y[b])) for all pairs of p, in
// parallel. profile is called concurrently.
func PairwiseFull[F Float](t Threads, p *Pairs[F], dst Matrix[F], profile func([]F)) {
	p.checkWhole(dst)
	across := (p.cols + pairTile - 1) / pairTile
	down := (p.rows + pairTile - 1) / pairTile
	par.For(t, across*down, 1, func(k, _ int) {
		i, j := k/across*pairTile, k%across*pairTile
		p.Tile(dst.Slice(i, min(i+pairTile, p.rows), j, min(j+pairTile, p.cols)), i, j, profile)
	})
}

// PairwiseSym is PairwiseFull for pairs of a set of rows with itself: the
// tiles on and below the diagonal are computed, and mirrored while they are in cache, so that
// dst is symmetric to the bit.
func PairwiseSym[F Float](t Threads, p *Pairs[F], dst Matrix[F], profile func([]F)) {
	p.checkWhole(dst)
	if !p.symmetric {
		panic("linalg: PairwiseSym of pairs between two different sets of rows")
	}
	down := (p.rows + pairTile - 1) / pairTile
	par.For(t, down*(down+1)/2, 1, func(k, _ int) {
		bi, bj := triangleIndex(k)
		i, j := bi*pairTile, bj*pairTile
		i1, j1 := min(i+pairTile, p.rows), min(j+pairTile, p.cols)
		tile := dst.Slice(i, i1, j, j1)
		p.Tile(tile, i, j, profile)
		if i == j {
			mirrorLower(tile)
		} else {
			transposeInto(dst.Slice(j, j1, i, i1), tile)
		}
	})
}

func (p *Pairs[F]) checkWhole(dst Matrix[F]) {
	if dst.Rows != p.rows || dst.Cols != p.cols {
		panic(fmt.Sprintf("linalg: %d×%d pairs into a %d×%d matrix", p.rows, p.cols, dst.Rows, dst.Cols))
	}
}

// triangleIndex is the row and column of the k-th cell of a lower triangle
// read row by row.
func triangleIndex(k int) (row, col int) {
	for row = 0; k > row; row++ {
		k -= row + 1
	}
	return row, k
}

// transposeInto sets dst = srcᵀ in blocks, so that both sides are read and
// written a cache line at a time.
func transposeInto[F Float](dst, src Matrix[F]) {
	const block = 16
	for i := 0; i < src.Rows; i += block {
		i1 := min(i+block, src.Rows)
		for j := 0; j < src.Cols; j += block {
			j1 := min(j+block, src.Cols)
			for b := j; b < j1; b++ {
				row := dst.Data[b*dst.Stride+i : b*dst.Stride+i1]
				for a := range row {
					row[a] = src.Data[(i+a)*src.Stride+b]
				}
			}
		}
	}
}

// mirrorLower copies the lower triangle of the square m onto the upper.
func mirrorLower[F Float](m Matrix[F]) {
	for i := range m.Rows {
		for j := range i {
			m.Data[j*m.Stride+i] = m.Data[i*m.Stride+j]
		}
	}
}
