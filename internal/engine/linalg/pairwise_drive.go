package linalg

import "fmt"

// PairwiseFull sets dst[a, b] = κ(metric(x[a], y[b])) for all pairs of p, in
// parallel. profile is as for Tile, and is called concurrently.
func PairwiseFull[F Float](t int, p *Pairs[F], dst Matrix[F], profile func([]F)) {
	p.checkWhole(dst)
	p.fill(t, Full, dst, 0, 0, profile, nil)
}

// PairwiseSym is PairwiseFull for pairs of a set of rows with itself: half the
// work, on and below the diagonal, and each piece mirrored while it is in cache. dst
// is symmetric to the bit.
func PairwiseSym[F Float](t int, p *Pairs[F], dst Matrix[F], profile func([]F)) {
	p.checkSymmetric(dst)
	p.fill(t, Lower, dst, 0, 0, profile, func(tile Matrix[F], r, c int) {
		if Lower.inside(r, tile.Rows, c, tile.Cols) {
			transposeInto(dst.Slice(c, c+tile.Cols, r, r+tile.Rows), tile)
			return
		}
		for a := range tile.Rows {
			_, hi := Lower.columns(r+a, c, tile.Cols)
			for b, v := range tile.Row(a)[:hi] {
				dst.Data[(c+b)*dst.Stride+r+a] = v
			}
		}
	})
}

func (p *Pairs[F]) checkWhole(dst Matrix[F]) {
	if dst.Rows != p.rows || dst.Cols != p.cols {
		panic(fmt.Sprintf("linalg: %d×%d pairs into a %d×%d matrix", p.rows, p.cols, dst.Rows, dst.Cols))
	}
}

func (p *Pairs[F]) checkSymmetric(dst Matrix[F]) {
	p.checkWhole(dst)
	if !p.symmetric {
		panic("linalg: half of the pairs between two different sets of rows")
	}
}

// transposeInto sets dst = srcᵀ, eight columns of src (a cache line) at a time:
// eight rows of dst are written from end to end, which keeps to eight pages and,
// where the stride is a power of two, to the ways of L1.
func transposeInto[F Float](dst, src Matrix[F]) {
	n := src.Rows
	j := 0
	for ; j+8 <= src.Cols; j += 8 {
		d0, d1, d2, d3 := dst.Row(j)[:n], dst.Row(j + 1)[:n], dst.Row(j + 2)[:n], dst.Row(j + 3)[:n]
		d4, d5, d6, d7 := dst.Row(j + 4)[:n], dst.Row(j + 5)[:n], dst.Row(j + 6)[:n], dst.Row(j + 7)[:n]
		for i := range n {
			s := src.Data[i*src.Stride+j:][:8]
			d0[i], d1[i], d2[i], d3[i] = s[0], s[1], s[2], s[3]
			d4[i], d5[i], d6[i], d7[i] = s[4], s[5], s[6], s[7]
		}
	}
	for ; j < src.Cols; j++ {
		row := dst.Row(j)
		for i := range row {
			row[i] = src.Data[i*src.Stride+j]
		}
	}
}
