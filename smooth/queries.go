package smooth

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// queries takes in points at which something is to be known, one place of dst
// for each, divided by the bandwidth.
func queries[R any](
	ctx context.Context, dst []R, x data.Points[[]float64], d int, by smoothing.Metric,
) (linalg.Matrix[float64], error) {
	if err := ctx.Err(); err != nil {
		return linalg.Matrix[float64]{}, err
	}
	q, err := apply.Queries(x, d)
	if err != nil {
		return q, err
	}
	by.Divide(q)
	return q, apply.CheckLen(len(dst), q.Rows)
}
