package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// tiles is kernel.Tiles in one precision.
type tiles[F linalg.Float] struct {
	source kernel.Tiles
	fill   func(dst linalg.Matrix[F], i, j int)
}

func double(t kernel.Tiles) func(dst linalg.Matrix[float64], i, j int) {
	return func(dst linalg.Matrix[float64], i, j int) { t.Tile(blas64.General(dst), i, j) }
}

func single(t kernel.Tiles) func(dst linalg.Matrix[float32], i, j int) {
	return func(dst linalg.Matrix[float32], i, j int) { t.Tile32(linalg.General32(dst), i, j) }
}

// row sets dst to entries j to j+len(dst)-1 of row i.
func row(t kernel.Tiles, dst []float64, i, j int) {
	t.Tile(blas64.General{Rows: 1, Cols: len(dst), Data: dst, Stride: len(dst)}, i, j)
}

// accumulate adds part to dst in float64.
func accumulate[F linalg.Float](dst linalg.Matrix[float64], part linalg.Matrix[F]) {
	for i := range dst.Rows {
		d := dst.Row(i)
		for j, v := range part.Row(i) {
			d[j] += float64(v)
		}
	}
}

// convert copies m into F; float64 is not copied.
func convert[F linalg.Float](m linalg.Matrix[float64]) linalg.Matrix[F] {
	if same, ok := any(m).(linalg.Matrix[F]); ok {
		return same
	}
	c := linalg.Unset[F](m.Rows, m.Cols)
	for i := range m.Rows {
		row := c.Row(i)
		for j, v := range m.Row(i) {
			row[j] = F(v)
		}
	}
	return c
}

// checkMul panics on a product of the wrong shape: a programmer's error.
func checkMul(g Gram, dst, v *mat.Dense, trans bool) {
	r, c := g.Dims()
	if trans {
		r, c = c, r
	}
	dr, dc := dst.Dims()
	vr, vc := v.Dims()
	if dr != r || vr != c || dc != vc {
		panic(fmt.Sprintf("gram: product of %d×%d with %d×%d into %d×%d", r, c, vr, vc, dr, dc))
	}
}
