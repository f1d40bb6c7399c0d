package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// tiles is kernel.Tiles in one precision.
type tiles[F linalg.Float] struct {
	source kernel.Tiles
	fill   func(dst linalg.Matrix[F], i, j int)
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
	c := linalg.New[F](m.Rows, m.Cols)
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
