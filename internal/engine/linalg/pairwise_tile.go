package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Tile sets dst[a, b] = κ(metric(x[i+a], y[j+b])) for all of dst, where profile
// replaces each metric value of the piece of a row it is given by κ of it; nil
// stands for the identity. profile is called while the piece is in cache. Tile
// runs in the calling goroutine.
//
// How a tile is placed can change values in their last bits (the order of the sums of an inner
// product depends on the shape of dst), within the bounds of Pairs; not so for pairs from WithRows.
func (p *Pairs[F]) Tile(dst Matrix[F], i, j int, profile func([]F)) {
	if i < 0 || j < 0 || i+dst.Rows > p.rows || j+dst.Cols > p.cols {
		panic(fmt.Sprintf("linalg: tile of %d×%d at (%d, %d) of %d×%d pairs", dst.Rows, dst.Cols, i, j, p.rows, p.cols))
	}
	if dst.Rows == 1 && profile == nil && (p.packed != nil || !p.rowwise) {
		instance[rowBody[F]](pairsRow64, pairsRow32)(p, dst.Row(0), i, j)
		return
	}
	p.fill(1, Full, dst, i, j, profile, nil)
}

// pairsRow is fill of one row, without a function for the tiles: nothing is allocated. Packed
// columns give the bits of larger tiles; without them the sums are those of a product of a matrix
// and a vector.
func pairsRow[F Float](p *Pairs[F], row []F, i, j int) {
	if len(row) == 0 {
		return
	}
	y := p.y.Slice(j, j+len(row), 0, p.dim)
	switch {
	case p.metric != InnerProduct && p.metric != SquaredDistance:
		directTileOf(p.metric, p.x.Slice(i, i+1, 0, p.dim), y,
			Matrix[F]{Rows: 1, Cols: len(row), Stride: len(row), Data: row})
		return
	case p.dim == 0:
		clear(row)
	case p.packed != nil:
		alpha := F(1)
		if p.metric == SquaredDistance {
			alpha = -2
		}
		p.packed.multiply(alpha, p.x.Slice(i, i+1, 0, p.dim), p.cols, j,
			Matrix[F]{Rows: 1, Cols: len(row), Stride: len(row), Data: row})
	case p.metric == InnerProduct:
		gemvRows(1, y, p.x.Row(i), 0, row)
	default:
		gemvRows(-2, y, p.x.Row(i), 0, row)
	}
	if p.metric == SquaredDistance {
		p.finishDistances(row, i, j)
	}
}

// fill computes the part of dst, whose first element is the pair (i, j). Each
// finished piece is given to profile and then, if that is set, to done, with
// its place in dst; of a piece on the diagonal only the part is.
func (p *Pairs[F]) fill(
	t int, part Triangle, dst Matrix[F], i, j int, profile func([]F), done func(tile Matrix[F], r, c int),
) {
	instance[fillBody[F]](fillPairs64, fillPairs32)(p, t, part, dst, i, j, profile, done)
}

func fillPairs[F Float](
	p *Pairs[F], t int, part Triangle, dst Matrix[F], i, j int, profile func([]F), done func(tile Matrix[F], r, c int),
) {
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	finish := func(tile Matrix[F], r, c int) {
		for a := range tile.Rows {
			lo, hi := part.columns(r+a, c, tile.Cols)
			if lo >= hi {
				continue
			}
			row := tile.Row(a)[lo:hi]
			if p.metric == SquaredDistance {
				p.finishDistances(row, i+r+a, j+c+lo)
			}
			if profile != nil {
				profile(row)
			}
		}
		if done != nil {
			done(tile, r, c)
		}
	}
	x, y := p.x.Slice(i, i+dst.Rows, 0, p.dim), p.y.Slice(j, j+dst.Cols, 0, p.dim)
	if p.packed != nil && part == Full && dst.Rows <= packedTall {
		alpha := F(1)
		if p.metric == SquaredDistance {
			alpha = -2
		}
		p.packed.multiply(alpha, x, p.cols, j, dst)
		finish(dst, 0, 0)
		return
	}
	switch p.metric {
	case InnerProduct:
		gemmFunc(crew{threads: t, rowwise: p.rowwise}, part, NoTrans, Trans, 1, x, y, 0, dst, finish)
	case SquaredDistance:
		gemmFunc(crew{threads: t, rowwise: p.rowwise}, part, NoTrans, Trans, -2, x, y, 0, dst, finish)
	default:
		directTiles(t, part, p.metric, x, y, dst, finish)
	}
}

// finishDistances turns -2⟨x, y⟩ in row into squared distances between row i of
// x and the rows of y from j on.
func (p *Pairs[F]) finishDistances(row []F, i, j int) {
	if p.extreme != nil && p.extreme[i] {
		for b := range row {
			row[b] = F(scaledDistance(p.x64.Row(i), p.y64.Row(j+b)))
		}
		return
	}
	if p.unscale != 1 {
		p.finishScaled(row, i, j)
		return
	}
	norm, tau := p.xNorm[i], p.tau
	if norm+p.yMost <= p.near {
		tau = p.nearTau
	}
	for lo := 0; lo < len(row); lo += closeStretch {
		part := row[lo:min(lo+closeStretch, len(row))]
		norms := p.yNorm[j+lo : j+lo+len(part)]
		var small bool
		switch part := any(part).(type) {
		case []float64:
			small = simd.AddNorms64(part, any(norms).([]float64), float64(norm), float64(tau))
		case []float32:
			small = simd.AddNorms32(part, any(norms).([]float32), float32(norm), float32(tau))
		}
		if small {
			p.recomputeClose(part, i, j+lo)
		}
	}
}

// closeStretch is how many distances are looked through where one of them is small: a row of K(X,
// X) has the point itself at least.
const closeStretch = 64

// finishScaled is finishDistances for rows that were scaled, which is rare: one
// pair at a time, with the direct sum over the rows as given unless that leaves the range.
func (p *Pairs[F]) finishScaled(row []F, i, j int) {
	var sums [4]float64
	for b, v := range row {
		sum := p.xNorm[i] + p.yNorm[j+b]
		v += sum
		if v > p.tau*sum && v > 1e-20 {
			row[b] = F(float64(v) * p.unscale * p.unscale)
			continue
		}
		x, y := p.x64.Row(i), p.y64.Row(j+b)
		simd.SquaredDistances64(x, y, y, y, y, &sums)
		if s := sums[0]; !(s > 1e-280 && s < math.MaxFloat64) {
			s = 0
			for k, v := range x {
				d := v/p.unscale - y[k]/p.unscale
				s += d * d
			}
			sums[0] = s * p.unscale * p.unscale
		}
		row[b] = F(sums[0])
	}
}

// scaledDistance is Σ(x-y)² of rows whose squares may leave the range of float64 where the sum does
// not.
func scaledDistance(x, y []float64) float64 {
	largest := 0.0
	for k, v := range x {
		largest = max(largest, math.Abs(v/2-y[k]/2))
	}
	if largest == 0 {
		return 0
	}
	s := 0.0
	for k, v := range x {
		d := (v/2 - y[k]/2) / largest
		s += d * d
	}
	return s * largest * 4 * largest
}

// recomputeClose replaces the distances in row that are small beside the norms
// by sums of squared differences of the rows as given, four at a time.
func (p *Pairs[F]) recomputeClose(row []F, i, j int) {
	norm, norms := p.xNorm[i], p.yNorm[j:j+len(row)]
	x := p.x64.Row(i)
	var close [4]int
	n := 0
	flush := func() {
		for k := n; k < 4; k++ {
			close[k] = close[0]
		}
		var sums [4]float64
		simd.SquaredDistances64(x, p.y64.Row(j+close[0]), p.y64.Row(j+close[1]), p.y64.Row(j+close[2]), p.y64.Row(j+close[3]),
			&sums)
		for k := range n {
			row[close[k]] = F(sums[k])
		}
		n = 0
	}
	for b, v := range row {
		tau, sum := p.tau, norm+norms[b]
		if sum <= p.near {
			tau = p.nearTau
		}
		if v > tau*sum {
			continue
		}
		close[n] = b
		if n++; n == 4 {
			flush()
		}
	}
	if n > 0 {
		flush()
	}
}
