package ridge

import (
	"context"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// spectrum is the eigenvalues of a symmetric matrix, ascending, and its eigenvectors, a column each:
// from a device, where it is the sooner. What becomes of a is not said.
func spectrum(
	ctx context.Context, d *gram.Device, threads int, a linalg.Matrix[float64],
) (values []float64, vectors linalg.Matrix[float64], err error) {
	if values, rows, ok := gram.DeviceEigen(d, linalg.Dense(a)); ok {
		vectors = linalg.Of(rows)
		transpose(threads, vectors)
		return values, vectors, ctx.Err()
	}
	return linalg.SymEigenContext(ctx, threads, a)
}

// transpose turns a square matrix over, some rows and columns at a time.
func transpose(threads int, a linalg.Matrix[float64]) {
	const side = 64
	n := a.Rows
	blocks := (n + side - 1) / side
	par.For(threads, blocks, 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			for first := 0; first <= b*side; first += side {
				for i := b * side; i < min((b+1)*side, n); i++ {
					for j := first; j < min(first+side, i); j++ {
						x, y := &a.Row(i)[j], &a.Row(j)[i]
						*x, *y = *y, *x
					}
				}
			}
		}
	})
}
