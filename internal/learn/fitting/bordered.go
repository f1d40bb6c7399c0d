package fitting

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// FillBordered sets dst = I + diag(s)·K·diag(s).
func FillBordered(ctx context.Context, t int, dst, k linalg.Matrix[float64], s []float64) {
	Rows(ctx, t, k.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, in := dst.Row(i), k.Row(i)
			for j, v := range s {
				row[j] = s[i] * v * in[j]
			}
			row[i]++
		}
	})
}

// NotPSD is the error of a factorisation of I + √W·K·√W that failed: that of the context, or of the
// kernel.
func NotPSD(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("I + √W·K·√W: %w; the kernel is not positive definite, or its values have too few digits to tell "+
		"the points apart: centre or scale the columns", err)
}
