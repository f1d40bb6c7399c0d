package seq

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// preparePairs is a Rectangle of eval(φ(x), φ(y)), symmetric in its arguments to the bit. Where
// both sides are the same points, a pair that stands in the rectangle twice is computed once: these
// kernels cost |x|·|y| for a value, and the tiles on the diagonal of a Gram matrix have each pair
// twice.
func preparePairs[T, U any](
	ctx context.Context, x, y data.Points[T], phi func(T) U, eval func(u, v U) float64,
) kernel.Rectangle {
	u, v := kernel.MapBoth(ctx, x, y, phi)
	same := kernel.SamePoints(x, y)
	return func(dst *mat.Dense, i, j int) {
		m := dst.RawMatrix()
		for a := range m.Rows {
			row := m.Data[a*m.Stride : a*m.Stride+m.Cols]
			for b := range row {
				if c, d, ok := otherWay(m, same, i, j, a, b); ok {
					row[b] = m.Data[c*m.Stride+d]
					continue
				}
				if ctx.Err() != nil {
					return
				}
				row[b] = eval(u[i+a], v[j+b])
			}
		}
	}
}

// otherWay is the entry of a rectangle at (i, j) that has the pair of points of entry (a, b) the
// other way round, where that comes before it.
func otherWay(m blas64.General, same bool, i, j, a, b int) (c, d int, ok bool) {
	c, d = j+b-i, i+a-j
	return c, d, same && c >= 0 && c < a && d >= 0 && d < m.Cols
}

// mapped changes every value of a Rectangle, given the numbers of its points.
func mapped(fill kernel.Rectangle, f func(v float64, i, j int) float64) kernel.Rectangle {
	return func(dst *mat.Dense, i, j int) {
		fill(dst, i, j)
		m := dst.RawMatrix()
		for a := range m.Rows {
			row := m.Data[a*m.Stride : a*m.Stride+m.Cols]
			for b, v := range row {
				row[b] = f(v, i+a, j+b)
			}
		}
	}
}
