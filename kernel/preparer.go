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
// counts of substrings, a suffix automaton, the labels of a graph after h refinements. A Gram
// matrix prepares each point once, not once for each pair.
type Preparer[T any] interface {
	Kernel[T]
	// PreparePoints makes K(X, Y) ready. Where both sides are the same points (see SamePoints) one
	// preparation serves both. It may leave its work unfinished once ctx has ended: nobody reads
	// the values then. Against the columns of a Base it is called for every new x; what it makes of
	// y by MapPoints or Kept is made once.
	PreparePoints(ctx context.Context, x, y data.Points[T]) Rectangle
}

// Rectangle sets dst[a, b] = k(x[i+a], y[j+b]) for all of dst, points numbered as in the call of
// PreparePoints that made it. It runs in the calling goroutine and is called concurrently on
// different rectangles.
type Rectangle func(dst *mat.Dense, i, j int)

// SamePoints says whether two Points are one and the same, as far as can be seen without comparing
// them.
func SamePoints[T any](x, y data.Points[T]) bool {
	return samePoints(data.Erase(x), data.Erase(y))
}

// MapPoints is φ of every point, in parallel; what is left when ctx ends is the zero value. Of the
// columns of a Base it is kept, see Kept: nobody writes to it.
func MapPoints[T, U any](ctx context.Context, x data.Points[T], phi func(x T) U) []U {
	return keep(ctx, x, phi, func() []U {
		out := make([]U, x.Len())
		par.For(0, len(out), 16, func(lo, hi int) {
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				out[i] = phi(x.At(i))
			}
		})
		return out
	})
}

// MapBoth is MapPoints of both sides of a Gram matrix, once where they are the same points.
func MapBoth[T, U any](ctx context.Context, x, y data.Points[T], phi func(x T) U) (u, v []U) {
	u = MapPoints(ctx, x, phi)
	if SamePoints(x, y) {
		return u, u
	}
	return u, MapPoints(ctx, y, phi)
}

// PreparePairs is a Rectangle of k(φ(x), φ(y)) that calls eval for each pair of mapped points.
func PreparePairs[T, U any](
	ctx context.Context, x, y data.Points[T], phi func(x T) U, eval func(u, v U) float64,
) Rectangle {
	u, v := MapBoth(ctx, x, y, phi)
	return PairsOf(ctx, u, v, eval)
}

// PairsOf is a Rectangle of a function of two lists of mapped points.
func PairsOf[U any](ctx context.Context, u, v []U, eval func(u, v U) float64) Rectangle {
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
func PrepareSparse[T any, F cmp.Ordered](
	ctx context.Context, x, y data.Points[T], phi func(x T) map[F]float64,
) Rectangle {
	u, v := MapBoth(ctx, x, y, phi)
	columns := Kept(ctx, y, func() *sparseColumns[F] { return newSparseColumns(v) })
	products := columns.products
	if !SamePoints(x, y) {
		products = products.WithRows(sparseRows(u, columns.number))
	}
	return func(dst *mat.Dense, i, j int) { products.Tile(linalg.Of(dst), i, j) }
}

// sparseColumns is the feature vectors of one side, and the numbers of the features that occur
// there.
type sparseColumns[F cmp.Ordered] struct {
	number   map[F]int32
	products *linalg.RowProducts // with themselves
}

func newSparseColumns[F cmp.Ordered](points []map[F]float64) *sparseColumns[F] {
	number := map[F]int32{}
	for _, features := range points {
		for f := range features {
			number[f] = 0
		}
	}
	for i, f := range slices.Sorted(maps.Keys(number)) {
		number[f] = int32(i)
	}
	rows := sparseRows(points, number)
	return &sparseColumns[F]{number, linalg.NewRowProducts(rows, rows)}
}

// sparseRows is feature vectors as rows, their features by number. What has no number, because the
// other side does not have it, adds nothing to a product and is left out.
func sparseRows[F cmp.Ordered](points []map[F]float64, number map[F]int32) *linalg.CSR {
	m := &linalg.CSR{Rows: len(points), Cols: len(number), Ptr: make([]int, len(points)+1)}
	for i, features := range points {
		from := len(m.Index)
		for f := range features {
			if c, ok := number[f]; ok {
				m.Index = append(m.Index, c)
			}
		}
		slices.Sort(m.Index[from:])
		m.Value = append(m.Value, make([]float64, len(m.Index)-from)...)
		m.Ptr[i+1] = len(m.Index)
		for f, v := range features {
			if c, ok := number[f]; ok {
				at, _ := slices.BinarySearch(m.Index[from:], c)
				m.Value[from+at] = v
			}
		}
	}
	return m
}
