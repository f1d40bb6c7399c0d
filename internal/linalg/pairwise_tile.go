package linalg

import "fmt"

// Tiles are computed in blocks of this many rows and columns: 1 MiB of
// float64, which stays in L2 between the product and the profile.
const (
	pairBlockRows = 128
	pairBlockCols = 1024
)

// Tile sets dst[a, b] = κ(metric(x[i+a], y[j+b])) for all of dst, where profile
// replaces each metric value of the piece of a row it is given by κ of it; nil stands for the
// identity. profile is called while the piece is in cache. Tile runs in the calling goroutine.
//
// A value does not depend on where in which tile it is computed beyond the
// rounding of GEMM's edges; the drivers cut tiles by position only.
func (p *Pairs[F]) Tile(dst Matrix[F], i, j int, profile func([]F)) {
	if i < 0 || j < 0 || i+dst.Rows > p.rows || j+dst.Cols > p.cols {
		panic(fmt.Sprintf("linalg: tile of %d×%d at (%d, %d) of %d×%d pairs", dst.Rows, dst.Cols, i, j, p.rows, p.cols))
	}
	for r := 0; r < dst.Rows; r += pairBlockRows {
		r1 := min(r+pairBlockRows, dst.Rows)
		for c := 0; c < dst.Cols; c += pairBlockCols {
			c1 := min(c+pairBlockCols, dst.Cols)
			block := dst.Slice(r, r1, c, c1)
			p.metricBlock(block, i+r, j+c)
			if profile == nil {
				continue
			}
			for a := range block.Rows {
				profile(block.Row(a))
			}
		}
	}
}

// metricBlock sets dst to the metric of rows from i and columns from j.
func (p *Pairs[F]) metricBlock(dst Matrix[F], i, j int) {
	x, y := p.x.Slice(i, i+dst.Rows, 0, p.dim), p.y.Slice(j, j+dst.Cols, 0, p.dim)
	if p.dim == 0 {
		for a := range dst.Rows {
			clear(dst.Row(a))
		}
		return
	}
	switch p.metric {
	case InnerProduct:
		Gemm(1, NoTrans, Trans, 1, x, y, 0, dst)
	case SquaredDistance:
		Gemm(1, NoTrans, Trans, -2, x, y, 0, dst)
		for a := range dst.Rows {
			p.finishDistances(dst.Row(a), i+a, j)
		}
	case L1Distance:
		eachPair(dst, x, y, l1Distance)
	case ChiSquared:
		eachPair(dst, x, y, chiSquared)
	case MinimumSum:
		eachPair(dst, x, y, minimumSum)
	}
}

// finishDistances turns -2⟨x, y⟩ in row into squared distances between row i of
// x and the rows of y from j on.
func (p *Pairs[F]) finishDistances(row []F, i, j int) {
	xn, yn := p.xNorm[i], p.yNorm[j:j+len(row)]
	for b, v := range row {
		sum := xn + yn[b]
		v += sum
		if !(v > p.tau*sum) {
			v = F(squaredDistance(p.x64.Row(i), p.y64.Row(j+b)))
		}
		row[b] = v
	}
	if p.unscale != 1 {
		for b, v := range row {
			row[b] = F(float64(v) * p.unscale * p.unscale)
		}
	}
}

// squaredDistance is Σ (xᵢ-yᵢ)².
func squaredDistance(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		d := v - y[i]
		s += d * d
	}
	return s
}

func eachPair[F Float](dst, x, y Matrix[F], f func(x, y []F) F) {
	for a := range dst.Rows {
		xa, row := x.Row(a), dst.Row(a)
		for b := range row {
			row[b] = f(xa, y.Row(b))
		}
	}
}

func l1Distance[F Float](x, y []F) F {
	var s F
	for i, v := range x {
		s += max(v-y[i], y[i]-v)
	}
	return s
}

func chiSquared[F Float](x, y []F) F {
	var s F
	for i, v := range x {
		if sum := v + y[i]; sum != 0 {
			d := v - y[i]
			s += d * d / sum
		}
	}
	return s
}

func minimumSum[F Float](x, y []F) F {
	var s F
	for i, v := range x {
		s += min(v, y[i])
	}
	return s
}
