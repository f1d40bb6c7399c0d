package linalg

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// GaussSums is K·v for K[i, j] = exp(-γ‖x_i-y_j‖²) without a tile of K: exponents
// are made, raised and added up in registers.
//
// The squares are split off,
//
//	Σⱼ exp(-γ‖x-yⱼ‖²)·vⱼ = exp(-γ‖x‖²)·Σⱼ exp(2γ⟨x, yⱼ⟩)·(exp(-γ‖yⱼ‖²)·vⱼ),
//
// with x and y less their common mean, as Pairs has them. A relative error of a
// value of K is an absolute one of its exponent, so close pairs need no second look:
// the exponent is off by c·u·γ(‖x‖²+‖y‖²) with the c = 16 + 8√d and the unit
// roundoff u of Pairs. Where that is above 1e-12 (float32: 1e-4, the tolerances
// of Pairs) the values come from tiles of Pairs instead; these are points many
// length-scales away from the mean.
type GaussSums[F Float] struct {
	pairs   *Pairs[F]
	gamma   float64
	limit   float64 // of γ(‖x‖²+‖y‖²)
	width   int     // points of a panel
	panels  []F     // x·2γ/ln2, width points side by side
	blocks  []F     // y, sumBlock points as columns
	xFactor []float64
	yFactor []float64
	xMost   []float64 // largest γ‖x‖² of each panel
	yMost   []float64 // largest γ‖y‖² of each block
	far     bool      // some pairs are beyond the limit
	crew              // of which only the context counts
}

// StopWith makes products return soon after ctx has ended, left unfinished.
func (g *GaussSums[F]) StopWith(ctx context.Context) { g.ctx = ctx }

// sumBlock is the number of rows of y that a panel meets at once: of 20
// coordinates they fill less than half of a first-level cache. Panels divide it.
const sumBlock = 128

// NewGaussSums makes the product ready, or returns nil where it would not be
// faster than tiles: squared distances of another kind, no assembly, few
// points, or more than a tenth of the pairs beyond the limit.
func NewGaussSums[F Float](p *Pairs[F], gamma float64) *GaussSums[F] {
	width := simd.ExpSumWidth[F]()
	if p.metric != SquaredDistance || p.unscale != 1 || p.extreme != nil || !simd.ExpSumFast() || p.rows < width ||
		p.cols < width || !(gamma > 0) {
		return nil
	}
	g := &GaussSums[F]{pairs: p, gamma: gamma, width: width}
	g.limit = gaussLimit[F](p.dim)
	g.xFactor, g.xMost = g.factors(p.xNorm, width)
	g.yFactor, g.yMost = g.factors(p.yNorm, sumBlock)
	if !g.worthwhile() {
		return nil
	}
	g.panels = packColumns(p.x, width, 2*gamma/math.Ln2)
	g.blocks = packColumns(p.y, sumBlock, 1)
	return g
}

// gaussLimit is the most that γ(‖x‖²+‖y‖²) may be for rows of d numbers.
func gaussLimit[F Float](d int) float64 {
	unit, tolerance, most := 0x1p-53, 1e-12, 600.0
	if !isFloat64[F]() {
		unit, tolerance, most = 0x1p-24, 1e-4, 80.0
	}
	return min(tolerance/((16+8*math.Sqrt(float64(d)))*unit), most)
}

// factors is exp(-γn) of the squared norms n, and the largest γn of each run of
// size.
func (g *GaussSums[F]) factors(norms []F, size int) (factor, most []float64) {
	factor, most = make([]float64, len(norms)), make([]float64, (len(norms)+size-1)/size)
	for i, n := range norms {
		e := g.gamma * float64(n)
		factor[i] = math.Exp(-e)
		most[i/size] = max(most[i/size], e)
	}
	return factor, most
}

// worthwhile counts the pairs beyond the limit.
func (g *GaussSums[F]) worthwhile() bool {
	beyond := 0
	for _, a := range g.xMost {
		for _, b := range g.yMost {
			if !(a+b <= g.limit) {
				beyond++
			}
		}
	}
	g.far = beyond > 0
	return 10*beyond <= len(g.xMost)*len(g.yMost)
}

// packColumns lays size rows of m side by side, times scale: coordinate p of
// row i is at i/size·size·d + p·size + i%size. Rows that are missing are zero.
func packColumns[F Float](m Matrix[F], size int, scale float64) []F {
	return packColumnsIn(nil, m, size, scale)
}

// packColumnsIn is packColumns in the memory of packed, where that is enough.
func packColumnsIn[F Float](packed []F, m Matrix[F], size int, scale float64) []F {
	d := m.Cols
	packed = zeros(packed, (m.Rows+size-1)/size*size*d)
	for i := range m.Rows {
		to := packed[i/size*size*d+i%size:]
		for p, v := range m.Row(i) {
			to[p*size] = F(float64(v) * scale)
		}
	}
	return packed
}

// zeros is n zeros, in the memory of s where that is enough.
func zeros[F Float](s []F, n int) []F {
	if cap(s) < n {
		return make([]F, n)
	}
	clear(s[:n])
	return s[:n]
}

// Dims is the shape of K.
func (g *GaussSums[F]) Dims() (r, c int) { return g.pairs.rows, g.pairs.cols }

// Symmetric says whether MulSym can be called.
func (g *GaussSums[F]) Symmetric() bool { return g.pairs.symmetric }

// panel is panel a of x, and block b of y.
func (g *GaussSums[F]) panel(a int) []F {
	n := g.width * g.pairs.dim
	return g.panels[a*n : (a+1)*n]
}

func (g *GaussSums[F]) block(b int) []F {
	n := sumBlock * g.pairs.dim
	return g.blocks[b*n : (b+1)*n]
}

// near says that all pairs of panel a and block b are within the limit.
func (g *GaussSums[F]) near(a, b int) bool { return g.xMost[a]+g.yMost[b] <= g.limit }

// weigh returns v·factor·scale in F, padded with zeros to whole runs of size.
// The scale is the power of two that brings the largest of v to about 1: the sums
// then neither overflow nor lose what counts to underflow, whatever v is.
func weigh[F Float](v, factor []float64, size int) (w []F, unscale float64) {
	return weighIn[F](nil, v, factor, size)
}

// weighIn is weigh in the memory of w, where that is enough.
func weighIn[F Float](w []F, v, factor []float64, size int) (_ []F, unscale float64) {
	largest := 0.0
	for _, e := range v {
		largest = max(largest, math.Abs(e))
	}
	scale := 1.0
	if largest > 0 && largest <= math.MaxFloat64 {
		scale = math.Ldexp(1, min(max(-math.Ilogb(largest), -1000), 1000))
	}
	w = zeros(w, (len(v)+size-1)/size*size)
	for i, e := range v {
		w[i] = F(e * scale * factor[i])
	}
	return w, 1 / scale
}

// direct evaluates the pairs of panel a and block b by a tile of Pairs.
func (g *GaussSums[F]) direct(a, b int) Matrix[F] {
	i, j := a*g.width, b*sumBlock
	tile := New[F](min(g.width, g.pairs.rows-i), min(sumBlock, g.pairs.cols-j))
	g.pairs.Tile(tile, i, j, g.raise)
	return tile
}

// raise turns squared distances into values of K.
func (g *GaussSums[F]) raise(row []F) {
	switch row := any(row).(type) {
	case []float64:
		simd.ScaleExp64(row, row, -g.gamma)
	case []float32:
		simd.ScaleExp32(row, row, float32(-g.gamma))
	}
}

func (g *GaussSums[F]) checkLengths(dst, v []float64) {
	if len(dst) != g.pairs.rows || len(v) != g.pairs.cols {
		panic(fmt.Sprintf("linalg: product of %d×%d with a vector of %d into one of %d", g.pairs.rows, g.pairs.cols, len(v),
			len(dst)))
	}
}
