package linalg

import (
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// directTile is the side of the squares of pairs whose metric is summed
// directly: rows of a few hundred numbers stay in L2.
const directTile = 128

// directTiles computes the metric tile by tile. A tile on the diagonal of a
// triangle is computed whole; square tiles make that its own business.
func directTiles[F Float](
	t int, part Triangle, metric PairMetric, x, y, dst Matrix[F], finish func(tile Matrix[F], r, c int),
) {
	across := (dst.Cols + directTile - 1) / directTile
	down := (dst.Rows + directTile - 1) / directTile
	par.For(t, across*down, 1, func(k, _ int) {
		r, c := k/across*directTile, k%across*directTile
		r1, c1 := min(r+directTile, dst.Rows), min(c+directTile, dst.Cols)
		if part.outside(r, r1-r, c, c1-c) {
			return
		}
		tile := dst.Slice(r, r1, c, c1)
		directTileOf(metric, x.Slice(r, r1, 0, x.Cols), y.Slice(c, c1, 0, y.Cols), tile)
		finish(tile, r, c)
	})
}

// directTileOf fills one tile: four rows of y stay in L1 while those of x pass.
func directTileOf[F Float](metric PairMetric, x, y, tile Matrix[F]) {
	four := fourPairs[F](metric)
	var sums [4]F
	for b := 0; b < y.Rows; b += 4 {
		n := min(4, y.Rows-b)
		last := y.Rows - 1
		y0, y1, y2, y3 := y.Row(b), y.Row(min(b+1, last)), y.Row(min(b+2, last)), y.Row(min(b+3, last))
		for a := range x.Rows {
			four(x.Row(a), y0, y1, y2, y3, &sums)
			copy(tile.Row(a)[b:b+n], sums[:n])
		}
	}
}

// fourPairs is the metric of a row with four rows.
func fourPairs[F Float](metric PairMetric) func(x, y0, y1, y2, y3 []F, dst *[4]F) {
	type four64 = func(x, y0, y1, y2, y3 []float64, dst *[4]float64)
	type four32 = func(x, y0, y1, y2, y3 []float32, dst *[4]float32)
	var f any
	switch {
	case metric == L1Distance && isFloat64[F]():
		f = four64(simd.AbsoluteDistances64)
	case metric == L1Distance:
		f = four32(simd.AbsoluteDistances32)
	case metric == ChiSquared && isFloat64[F]():
		f = four64(simd.ChiSquaredDistances64)
	case metric == ChiSquared:
		f = four32(simd.ChiSquaredDistances32)
	case metric == MinimumSum && isFloat64[F]():
		f = four64(simd.MinimumSums64)
	case metric == MinimumSum:
		f = four32(simd.MinimumSums32)
	}
	return f.(func(x, y0, y1, y2, y3 []F, dst *[4]F))
}
