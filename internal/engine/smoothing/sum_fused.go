package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// gaussColumns is the points of a Gaussian sum of one width as simd wants them.
// Differences, exponentials and the sum over the points never leave the registers.
type gaussColumns struct {
	n, dim int
	cols   []float64 // coordinate j of place p is cols[j*n+p]
	weight []float64
}

// newGaussColumns is nil where the sum is not a Gaussian of one width.
func newGaussColumns(k *Sum) *gaussColumns {
	t := k.Tree
	if k.Kernel != Gaussian || k.inverse != nil || t.Dim == 0 || t.N == 0 {
		return nil
	}
	g := &gaussColumns{n: t.N, dim: t.Dim, cols: make([]float64, 0, t.Dim*t.N), weight: k.Weight}
	for _, col := range t.cols {
		g.cols = append(g.cols, col...)
	}
	if g.weight == nil {
		g.weight = make([]float64, g.n)
		for p := range g.weight {
			g.weight[p] = 1
		}
	}
	return g
}

// gaussPanel sums for some queries at once: count of them, in panels of width.
type gaussPanel struct {
	g            *gaussColumns
	width, count int
	x            []float64 // panel after panel
	sums         []float64 // a number for each query, padded
	part         []float64
}

// reset takes in queries, given a coordinate at a time.
func (p *gaussPanel) reset(g *gaussColumns, count int, at func(i, j int) float64) {
	p.g, p.width, p.count = g, simd.ExpSumWidth[float64](), count
	panels := (count + p.width - 1) / p.width
	p.x = sized(p.x, panels*p.width*g.dim)
	p.sums = sized(p.sums, panels*p.width)
	p.part = sized(p.part, p.width)
	for i := range count {
		to := p.x[i/p.width*p.width*g.dim+i%p.width:]
		for j := range g.dim {
			to[j*p.width] = at(i, j)
		}
	}
}

// sized is n zeros, in v when it has room.
func sized(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	v = v[:n]
	clear(v)
	return v
}

// add sums the places [lo, hi) for every query. Rows of at most rowLength terms
// are added up one by one and the rows then, which keeps rounding small.
func (p *gaussPanel) add(lo, hi int) {
	g := p.g
	each := p.width * g.dim
	for a := lo; a < hi; a += rowLength {
		b := min(a+rowLength, hi)
		for i := 0; i < len(p.sums); i += p.width {
			clear(p.part)
			x := p.x[i/p.width*each : (i/p.width+1)*each]
			simd.ExpSumDistances(x, g.cols[a:], g.n, -math.Log2E/2, g.weight[a:b], p.part)
			for l, v := range p.part {
				p.sums[i+l] += v
			}
		}
	}
}

// logSumsFused is logSumsBrute for Gaussians.
func (k *Sum) logSumsFused(ctx context.Context, t int, dst []float64, q linalg.Matrix[float64]) error {
	par.For(t, q.Rows, 32, func(lo, hi int) {
		var panel gaussPanel
		var room Room
		panel.reset(k.fused, hi-lo, func(i, j int) float64 { return q.At(lo+i, j) })
		const step = 8 * rowLength
		for a := 0; a < k.Tree.N && ctx.Err() == nil; a += step {
			panel.add(a, min(a+step, k.Tree.N))
		}
		for i, s := range panel.sums[:panel.count] {
			dst[lo+i] = k.logOf(&room, s, q.Row(lo+i))
		}
	})
	return ctx.Err()
}
