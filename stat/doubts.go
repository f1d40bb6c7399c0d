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
func doubts[T any](ctx context.Context, k kernel.Kernel[T], threads int, samples ...data.Points[T]) []string {
	var all data.Slice[T]
	for _, x := range samples {
		for i := range x.Len() {
			all = append(all, x.At(i))
		}
	}
	found, err := gram.Examine[T](ctx, k, all, threads)
	if err != nil {
		return nil // the context's
	}
	return found.Warnings()
}
