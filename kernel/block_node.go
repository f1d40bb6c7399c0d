package kernel

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// blockNode is any kernel that fills a rectangle by itself.
type blockNode struct {
	fill func(dst linalg.Matrix[float64], i, j int)
}

func (n blockNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { n.fill(dst, w.i, w.j) }

func (n blockNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	narrowTile(dst, func(wide linalg.Matrix[float64]) { n.fill(wide, w.i, w.j) })
}

func (n blockNode) cut(c *cutter) node { return blockNode{c.fill(n.fill)} }

// pairNode calls Eval for each pair, which is the meaning of every tile. A value may take long, so
// the context is looked at before each.
func pairNode(b *builder, d door, p pair[any]) node {
	b.plan.heavy = true
	row, stopped := d.row(p.x, p.y), b.plan.stopped
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for a := 0; a < dst.Rows && !stopped(); a++ {
			row(dst.Row(a), i+a, j, stopped)
		}
	}}
}

// rectangleNode asks what a Preparer made ready.
func rectangleNode(b *builder, fill Rectangle) blockNode {
	b.plan.heavy = true
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		if dst.Rows > 0 && dst.Cols > 0 {
			fill(linalg.Dense(dst), i, j)
		}
	}}
}

// run is n points from start; points that know their numbers still do.
func run[T any](p data.Points[T], start, n int) data.Points[T] {
	if numbered, ok := p.(*data.Numbered[T]); ok {
		return numbered.Run(start, start+n)
	}
	return window[T]{p, start, n}
}

// window is a run of points.
type window[T any] struct {
	p     data.Points[T]
	start int
	n     int
}

func (w window[T]) Len() int   { return w.n }
func (w window[T]) At(i int) T { return w.p.At(w.start + i) }

// pairwise is derivatives known a pair at a time: grad sets dtheta, whose entries
// belong at the places theta.
type pairwise struct {
	grad  func(i, j int, dtheta []float64)
	theta []int
	// rows, where it is there, sets d[p, b] to the derivative of the pair (i, j+b)
	// by parameter p, for a run of pairs at once.
	rows func(i, j int, d linalg.Matrix[float64])
}

func gradOfPair(k Kernel[any], p pair[any]) pairwise {
	x := data.Boxed(p.x)
	y := x
	if !p.same {
		y = data.Boxed(p.y)
	}
	return pairwise{grad: func(i, j int, dtheta []float64) { pairGrad(k, x.At(i), y.At(j), dtheta) }, theta: p.theta}
}

// pairsGrad is the backward pass of a kernel whose derivatives are known a pair at a time.
type pairsGrad struct {
	valued
	pairwise
}

func (n pairsGrad) storable() bool { return true }

func (n pairsGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	if !slices.ContainsFunc(n.theta, g.wanted) {
		return
	}
	dtheta := make([]float64, len(n.theta))
	rows := linalg.New[float64](len(n.theta), adj.Cols)
	for a := range adj.Rows {
		if g.plan.stopped() {
			return
		}
		if n.rows != nil {
			n.rows(g.w.i+a, g.w.j, rows)
		}
		for b := 0; b < adj.Cols && n.rows == nil; b++ {
			n.grad(g.w.i+a, g.w.j+b, dtheta)
			for p, d := range dtheta {
				rows.Set(p, b, d)
			}
		}
		for p, at := range n.theta {
			if g.wanted(at) {
				g.emit(at, a, adj.Row(a), rows.Row(p))
			}
		}
	}
}
