package density

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// Estimate is a fitted density.
type Estimate interface {
	LogDensity(ctx context.Context, x data.Points[[]float64]) ([]float64, error)
}

// HeldOut returns the log-densities of the points in increasing order, each under a fit to the
// other folds: how common rows look that the density was not fitted to. A point of its own kernel
// looks commoner than that. The share of these that lie at or below the log-density of a new row
// says how rare it is.
func HeldOut(
	ctx context.Context, x data.Points[[]float64], folds int, seed uint64,
	fit func(ctx context.Context, x data.Points[[]float64]) (Estimate, error),
) ([]float64, error) {
	if x == nil || x.Len() < 2 {
		return nil, fmt.Errorf("held-out densities need two points or more")
	}
	parts, err := data.KFold(x.Len(), max(2, min(folds, x.Len())), seed)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, p := range parts {
		e, err := fit(ctx, data.Gather(x, p.Train))
		if err != nil {
			return nil, err
		}
		logs, err := e.LogDensity(ctx, data.Gather(x, p.Test))
		if err != nil {
			return nil, err
		}
		for i, v := range logs {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("the density at row %d is no number", p.Test[i])
			}
		}
		out = append(out, logs...)
	}
	slices.Sort(out)
	return out, nil
}
