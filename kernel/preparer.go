package kernel

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mat"
)

// Preparer is an optional interface of kernels that read their points in a form of their own:
// counts of substrings, a suffix automaton, the labels of a graph after h refinements. A Gram matrix
// prepares each point once, not once for each pair.
type Preparer[T any] interface {
	Kernel[T]
	// PreparePoints makes K(X, Y) ready. Where both sides are the same points (see SamePoints) one
	// preparation serves both. It may leave its work unfinished once ctx has ended: nobody reads the values then.
	PreparePoints(ctx context.Context, x, y data.Points[T]) Rectangle
}

// Rectangle sets dst[a, b] = k(x[i+a], y[j+b]) for all of dst, points numbered as in the call of
// PreparePoints that made it. It runs in the calling goroutine and is called concurrently on different rectangles.
type Rectangle func(dst *mat.Dense, i, j int)

// SamePoints says whether two Points are one and the same, as far as can be seen without comparing them.
func SamePoints[T any](x, y data.Points[T]) bool { return samePoints(x, y) }

// MapPoints is φ of every point, in parallel; what is left when ctx ends is the zero value.
func MapPoints[T, U any](ctx context.Context, x data.Points[T], phi func(x T) U) []U {
	out := make([]U, x.Len())
	par.For(0, len(out), 16, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			out[i] = phi(x.At(i))
		}
	})
	return out
}

// MapBoth is MapPoints of both sides of a Gram matrix, once where they are the same points.
func MapBoth[T, U any](ctx context.Context, x, y data.Points[T], phi func(x T) U) (u, v []U) {
	u = MapPoints(ctx, x, phi)
	if samePoints(x, y) {
		return u, u
	}
	return u, MapPoints(ctx, y, phi)
}

// PreparePairs is a Rectangle of k(φ(x), φ(y)) that calls eval for each pair of mapped points.
func PreparePairs[T, U any](ctx context.Context, x, y data.Points[T], phi func(x T) U, eval func(u, v U) float64) Rectangle {
	u, v := MapBoth(ctx, x, y, phi)
	return pairsOf(ctx, u, v, eval)
}

// PreparePairsBase is PreparePairs for a BasePreparer: y is mapped now, x when there is one.
func PreparePairsBase[T, U any](ctx context.Context, y data.Points[T], phi func(x T) U, eval func(u, v U) float64) func(ctx context.Context, x data.Points[T]) Rectangle {
	v := MapPoints(ctx, y, phi)
	return func(ctx context.Context, x data.Points[T]) Rectangle {
		return pairsOf(ctx, MapPoints(ctx, x, phi), v, eval)
	}
}

func pairsOf[U any](ctx context.Context, u, v []U, eval func(u, v U) float64) Rectangle {
	return func(dst *mat.Dense, i, j int) {
		m := linalg.Of(dst)
		for a := range m.Rows {
			row := m.Row(a)
			for b := range row {
				if ctx.Err() != nil {
					return
				}
				row[b] = eval(u[i+a], v[j+b])
			}
		}
	}
}

// PrepareSparse is a Rectangle of the inner products Σ_f φ_f(x)φ_f(y) of sparse feature vectors,
// given as feature → value. Features are numbered in their order, so that a value has the same
// bits whatever other points stand beside it; the products are those of sparse rows.
func PrepareSparse[T any, F cmp.Ordered](ctx context.Context, x, y data.Points[T], phi func(x T) map[F]float64) Rectangle {
	u, v := MapBoth(ctx, x, y, phi)
	same := samePoints(x, y)
	number := map[F]int32{}
	for _, side := range [][]map[F]float64{u, v} {
		for _, features := range side {
			for f := range features {
				number[f] = 0
			}
		}
	}
	for i, f := range slices.Sorted(maps.Keys(number)) {
		number[f] = int32(i)
	}
	left := sparseRows(u, number)
	right := left
	if !same {
		right = sparseRows(v, number)
	}
	products := linalg.NewRowProducts(left, right)
	return func(dst *mat.Dense, i, j int) { products.Tile(linalg.Of(dst), i, j) }
}

// sparseRows is feature vectors as rows, their features by number.
func sparseRows[F cmp.Ordered](points []map[F]float64, number map[F]int32) *linalg.CSR {
	m := &linalg.CSR{Rows: len(points), Cols: len(number), Ptr: make([]int, len(points)+1)}
	for i, features := range points {
		from := len(m.Index)
		for f := range features {
			m.Index = append(m.Index, number[f])
		}
		slices.Sort(m.Index[from:])
		m.Value = append(m.Value, make([]float64, len(features))...)
		m.Ptr[i+1] = len(m.Index)
		for f, v := range features {
			at, _ := slices.BinarySearch(m.Index[from:], number[f])
			m.Value[from+at] = v
		}
	}
	return m
}
