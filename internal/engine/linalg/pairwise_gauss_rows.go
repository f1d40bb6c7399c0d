package linalg

import (
	"context"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// GaussColumns is the rows of y of GaussSums made ready once, for sums at row after row of x: K·v
// where K[i, j] = exp(-γ‖x_i-y_j‖²). What a row of x gets does not depend on the others, to the
// last bit: whether a pair is within the limit of GaussSums is asked of each row for itself.
type GaussColumns[F Float] struct {
	gauss GaussSums[F] // with the columns alone
	rooms sync.Pool    // of *gaussRoom[F]
}

// NewGaussColumns prepares the columns of p, or returns nil where tiles are as fast: squared
// distances of another kind, no assembly, few columns, or more than a tenth of them so far from
// their mean that they are beyond the limit by themselves.
func NewGaussColumns[F Float](p *Pairs[F], gamma float64) *GaussColumns[F] {
	width := simd.ExpSumWidth[F]()
	if p.metric != SquaredDistance || p.unscale != 1 || !simd.ExpSumFast() || p.cols < width || !(gamma > 0) {
		return nil
	}
	g := GaussSums[F]{gamma: gamma, width: width, limit: gaussLimit[F](p.dim)}
	g.yFactor, g.yMost = g.factors(p.yNorm, sumBlock)
	beyond := 0
	for _, e := range g.yMost {
		if !(2*e <= g.limit) { // rows are expected where columns are
			beyond++
		}
	}
	if 10*beyond > len(g.yMost) {
		return nil
	}
	g.blocks = packColumns(p.y, sumBlock, 1)
	return &GaussColumns[F]{gauss: g}
}

// SumsTo sets dst[i] = Σⱼ exp(-γ‖x_i-y_j‖²)·v[j] for the rows of q, which is pairs.WithRows of what
// the columns were made of, in parallel. Once ctx has ended the rest is left unfinished. Few rows
// are summed in the calling goroutine, and nothing is allocated for them.
func (c *GaussColumns[F]) SumsTo(ctx context.Context, t int, q *Pairs[F], dst, v []float64) {
	room := c.roomFor(ctx, q)
	defer c.leave(room)
	room.gauss.checkLengths(dst, v)
	room.weights, room.unscale = weighIn(room.weights, v, c.gauss.yFactor, sumBlock)
	panels := (q.rows + c.gauss.width - 1) / c.gauss.width
	if panels <= panelsTogether {
		room.panels(dst, v, room.weights, 0, panels)
		return
	}
	c.sumApart(ctx, t, q, dst, v, room, panels)
}

// sumApart is the panels of many rows in parallel, with weights of one room.
func (c *GaussColumns[F]) sumApart(
	ctx context.Context, t int, q *Pairs[F], dst, v []float64, weighed *gaussRoom[F], panels int,
) {
	par.For(t, panels, panelsTogether, func(lo, hi int) {
		room := c.roomFor(ctx, q)
		defer c.leave(room)
		room.unscale = weighed.unscale
		room.panels(dst, v, weighed.weights, lo, hi)
	})
}

// gaussRoom is the memory of the sums of some panels of rows, kept between calls.
type gaussRoom[F Float] struct {
	gauss        GaussSums[F] // the columns, and the rows of this call
	weights      []F
	unscale      float64
	x, out       []F
	sums, direct []float64
}

func (c *GaussColumns[F]) roomFor(ctx context.Context, q *Pairs[F]) *gaussRoom[F] {
	room, _ := c.rooms.Get().(*gaussRoom[F])
	if room == nil {
		room = &gaussRoom[F]{gauss: c.gauss, out: make([]F, c.gauss.width)}
	}
	room.gauss.pairs, room.gauss.ctx = q, ctx
	return room
}

func (c *GaussColumns[F]) leave(room *gaussRoom[F]) {
	room.gauss.pairs, room.gauss.ctx = nil, nil
	c.rooms.Put(room)
}

// panels sums the rows of panels lo to hi.
func (r *gaussRoom[F]) panels(dst, v []float64, w []F, lo, hi int) {
	g := &r.gauss
	q := g.pairs
	first, last := lo*g.width, min(hi*g.width, q.rows)
	r.x = packColumnsIn(r.x, q.x.Slice(first, last, 0, q.dim), g.width, 2*g.gamma/math.Ln2)
	r.sums, r.direct = zeros(r.sums, last-first), zeros(r.direct, last-first)
	for b := range g.yMost {
		if g.stopped() {
			return
		}
		n := min(sumBlock, q.cols-b*sumBlock)
		for a := first; a < last; a += g.width {
			rows := min(g.width, last-a)
			near := 0
			for i := a; i < a+rows; i++ {
				if g.within(i, b) {
					near++
				} else {
					g.addRow(&r.direct[i-first], v, i, b, n)
				}
			}
			if near == 0 {
				continue
			}
			clear(r.out)
			at := (a - first) * q.dim
			simd.ExpSumProducts(r.x[at:at+g.width*q.dim], g.block(b), sumBlock, w[b*sumBlock:b*sumBlock+n], r.out)
			for l := range rows {
				if near == rows || g.within(a+l, b) {
					r.sums[a-first+l] += float64(r.out[l])
				}
			}
		}
	}
	for i := first; i < last; i++ {
		dst[i] = math.Exp(-g.gamma*float64(q.xNorm[i]))*r.sums[i-first]*r.unscale + r.direct[i-first]
	}
}

// within says that the pairs of row i and block b are within the limit.
func (g *GaussSums[F]) within(i, b int) bool {
	if g.pairs.extreme != nil && g.pairs.extreme[i] {
		return false
	}
	return g.gamma*float64(g.pairs.xNorm[i])+g.yMost[b] <= g.limit
}

// addRow adds the sum of row i over block b, by a tile of Pairs.
func (g *GaussSums[F]) addRow(sum *float64, v []float64, i, b, n int) {
	tile := New[F](1, n)
	g.pairs.Tile(tile, i, b*sumBlock, g.raise)
	for j, k := range tile.Row(0) {
		*sum += float64(k) * v[b*sumBlock+j]
	}
}
