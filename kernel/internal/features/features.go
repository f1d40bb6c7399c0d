// Package features makes rectangles of kernels that are inner products of explicit feature vectors.
package features

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Prepare is a rectangle of ⟨φ(x), φ(y)⟩: every point is mapped once, and the rest is one product
// of matrices. All φ have one length.
func Prepare[T any](ctx context.Context, x, y data.Points[T], phi func(x T) kernel.Vec) kernel.Rectangle {
	u, v := kernel.MapBoth(ctx, x, y, phi)
	columns := kernel.Kept(ctx, y, func() data.Points[kernel.Vec] { return rows(v) })
	var tiles kernel.Tiles
	if kernel.SamePoints(x, y) {
		tiles = kernel.Prepare[kernel.Vec](ctx, kernel.Linear{}, columns, columns)
	} else {
		tiles = kernel.Prepare[kernel.Vec](ctx, kernel.Linear{}, rows(u), columns)
	}
	return func(dst *mat.Dense, i, j int) { tiles.Tile(dst.RawMatrix(), i, j) }
}

// rows is the vectors as one matrix; those that a context left unfinished are zeros.
func rows(v []kernel.Vec) data.Points[kernel.Vec] {
	dim := 1
	for _, row := range v {
		dim = max(dim, len(row))
	}
	m := mat.NewDense(max(len(v), 1), dim, nil)
	for i, row := range v {
		copy(m.RawRowView(i), row)
	}
	if len(v) == 0 {
		return data.Slice[kernel.Vec]{}
	}
	return data.Rows(m)
}
