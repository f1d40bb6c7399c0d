// Package instances sums a kernel over all pairs of members of two bags: what multi-instance
// kernels, fuzzy sets and mean embeddings have in common.
package instances

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Bag is some points with their weights, 1 each when nil.
type Bag[T any] struct {
	Items   []T
	Weights []float64
}

func (b Bag[T]) weight(i int) float64 {
	if b.Weights == nil {
		return 1
	}
	return b.Weights[i]
}

// Sum is Σ_s Σ_t w_s w_t f(k(s, t)), the meaning of Prepare; f is the identity when nil.
func Sum[T any](k kernel.Kernel[T], f func(float64) float64, x, y Bag[T]) float64 {
	sum := 0.0
	for i, s := range x.Items {
		inner := 0.0
		for j, t := range y.Items {
			v := k.Eval(s, t)
			if f != nil {
				v = f(v)
			}
			inner += y.weight(j) * v
		}
		sum += x.weight(i) * inner
	}
	return sum
}

// Rows of instances at a time, and at least so many columns: the block stays in the second-level
// cache.
const (
	blockRows = 64
	blockCols = 1024
)

// Prepare is a rectangle of Sum over the bags of points: the members of all of them become the
// points of one Gram matrix of k, which goes through its fastest path a block at a time.
func Prepare[S, T any](
	ctx context.Context, k kernel.Kernel[T], f func(float64) float64, sx, sy data.Points[S], bag func(S) Bag[T],
) kernel.Rectangle {
	x, y := kernel.MapBoth(ctx, sx, sy, bag)
	columns := kernel.Kept(ctx, sy, func() *members[T] { return newMembers(k, y) })
	var tiles kernel.Tiles
	rows, cols := columns.from, columns.from
	if kernel.SamePoints(sx, sy) {
		tiles = kernel.Prepare(ctx, k, columns.all, columns.all)
	} else {
		var left data.Points[T]
		left, rows = flatten(x)
		tiles = columns.base.Prepare(ctx, left)
	}
	return func(dst *mat.Dense, i, j int) {
		m := linalg.Of(dst)
		for a := range m.Rows {
			clear(m.Row(a))
		}
		for b := 0; b < m.Cols; { // whole bags of columns
			end := b + 1
			for end < m.Cols && cols[j+end+1]-cols[j+b] <= blockCols {
				end++
			}
			block := linalg.New[float64](blockRows, cols[j+end]-cols[j+b])
			for a := range m.Rows {
				addBag(ctx, m.Row(a)[b:end], block, tiles, f, x[i+a], rows[i+a], y[j+b:j+end], cols[j+b])
			}
			b = end
		}
	}
}

// addBag adds one bag's sums with several bags of columns to row.
func addBag[T any](
	ctx context.Context, row []float64, block linalg.Matrix[float64], tiles kernel.Tiles, f func(float64) float64,
	x Bag[T], at int, y []Bag[T], from int,
) {
	for lo := 0; lo < len(x.Items) && block.Cols > 0 && ctx.Err() == nil; lo += blockRows {
		part := block.Slice(0, min(blockRows, len(x.Items)-lo), 0, block.Cols)
		tiles.Tile(blas64.General(part), at+lo, from)
		for s := range part.Rows {
			values := part.Row(s)
			for b, bag := range y {
				inner := 0.0
				for t, v := range values[:len(bag.Items)] {
					if f != nil {
						v = f(v)
					}
					inner += bag.weight(t) * v
				}
				values = values[len(bag.Items):]
				row[b] += x.weight(lo+s) * inner
			}
		}
	}
}

// members is those of all bags of one side, made ready to be columns.
type members[T any] struct {
	all  data.Points[T]
	from []int
	base *kernel.Base[T]
}

func newMembers[T any](k kernel.Kernel[T], bags []Bag[T]) *members[T] {
	all, from := flatten(bags)
	return &members[T]{all, from, kernel.NewBase(k, all)}
}

// flatten puts the members of all bags in one sequence; bag i is from[i]:from[i+1]. Vectors become
// rows of one matrix.
func flatten[T any](bags []Bag[T]) (data.Points[T], []int) {
	from := make([]int, len(bags)+1)
	var all data.Slice[T]
	for i, b := range bags {
		all = append(all, b.Items...)
		from[i+1] = len(all)
	}
	if v, ok := any(all).(data.Slice[kernel.Vec]); ok && len(v) > 0 {
		if rows, ok := matrix(v); ok {
			return any(rows).(data.Points[T]), from
		}
	}
	return all, from
}

// matrix is vectors as rows; not ok where their lengths differ.
func matrix(v []kernel.Vec) (data.Points[kernel.Vec], bool) {
	m := mat.NewDense(len(v), max(len(v[0]), 1), nil)
	for i, row := range v {
		if len(row) != len(v[0]) || len(row) == 0 {
			return nil, false
		}
		copy(m.RawRowView(i), row)
	}
	return data.Rows(m), true
}
