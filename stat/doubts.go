package stat

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// doubts is what a reader should know of a kernel on the points of all samples together. Where it
// is not positive definite, a statistic is no distance: it may be negative, and may be 0 where
// distributions differ. The level of a permutation test holds all the same.
func doubts(ctx context.Context, k kernel.Kernel[any], threads int, samples ...data.Points[any]) []string {
	found, err := gram.Examine(ctx, k, data.JoinPoints(samples), threads)
	if err != nil {
		return nil // the context's
	}
	return found.Warnings()
}
