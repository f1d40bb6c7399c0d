package density

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// queries takes in points at which something is to be known, one place of dst
// for each.
func queries(ctx context.Context, dst []float64, x data.Points[[]float64], d int) (linalg.Matrix[float64], error) {
	if err := ctx.Err(); err != nil {
		return linalg.Matrix[float64]{}, err
	}
	q, err := apply.Queries(x, d)
	if err != nil {
		return q, err
	}
	return q, apply.CheckLen(len(dst), q.Rows)
}

// exponentiated turns logs into what they are logs of, unless there was an error.
func exponentiated(dst []float64, err error) error {
	if err != nil {
		return err
	}
	for i, v := range dst {
		dst[i] = math.Exp(v)
	}
	return nil
}
