package cluster

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// doubted is what every grouping has to say about itself.
type doubted struct{ warnings []string }

// Warnings is what is to be doubted about the groups: a kernel that is not positive definite on the
// points has no distances, and a sum of squares of them need not fall.
func (d doubted) Warnings() []string { return append([]string(nil), d.warnings...) }

// doubts examines the kernel.
func doubts[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], threads int) (doubted, error) {
	found, err := gram.Examine(ctx, k, x, threads)
	return doubted{found.Warnings()}, err
}
