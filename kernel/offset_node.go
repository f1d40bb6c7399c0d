package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// offsetNode is c·in + left[i] + right[j].
type offsetNode struct {
	in          node
	c           float64
	left, right []float64
}

func (n offsetNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { offsetTile(n, dst, w) }
func (n offsetNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { offsetTile(n, dst, w) }

func (n offsetNode) cut(c *cutter) node {
	return offsetNode{n.in.cut(c), n.c, chosenOf(n.left, c.rows), chosenOf(n.right, c.cols)}
}

func offsetTile[F linalg.Float](n offsetNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	c := F(n.c)
	for a := range dst.Rows {
		row, left, right := dst.Row(a), F(n.left[w.i+a]), n.right[w.j:]
		for b, v := range row {
			row[b] = c*v + left + F(right[b])
		}
	}
}

// perPoint is the number that f gives for each point of a side, asked for once for each.
func perPoint(b *builder, p pair[any], f func(x data.Points[any]) func(i int) float64) (left, right []float64) {
	each := func(n int, of func(i int) float64) []float64 {
		v := make([]float64, n)
		for i := 0; i < n && !b.plan.stopped(); i++ {
			v[i] = of(i)
		}
		return v
	}
	of := f(p.x)
	left = each(p.x.Len(), of)
	b.repeat(func() { left[0] = of(0) })
	if p.same {
		return left, left
	}
	b.points++
	return left, ofColumns(b, fmt.Sprint("points", b.points), func() []float64 { return each(p.y.Len(), f(p.y)) })
}
