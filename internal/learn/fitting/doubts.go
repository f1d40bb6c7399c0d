package fitting

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Doubts is what a report has to say about a kernel on the points of a fit that needs it to be
// positive semi-definite.
func Doubts[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], r learn.Resources) []string {
	if r.TrustKernel {
		return nil
	}
	found, err := gram.Examine(ctx, k, x, r.Threads)
	if err != nil {
		return nil // the context's, which the fit looks at itself
	}
	return found.Warnings()
}

// Explain is the error of a fit, or, where the kernel is not positive definite or its values have
// no digits left, that: a factorisation that fails knows only that a pivot was negative.
func Explain[T any](ctx context.Context, err error, k kernel.Kernel[T], x data.Points[T], r learn.Resources) error {
	var budget *learn.OverBudget
	if err == nil || r.TrustKernel || ctx.Err() != nil || errors.As(err, &budget) || x == nil ||
		kernel.Check(k, x) != nil {
		return err
	}
	found, bad := gram.Examine(ctx, k, x, r.Threads)
	switch {
	case bad != nil:
	case !found.OK:
		return found.Err()
	case found.Digits != "":
		return fmt.Errorf("%s (%w)", found.Digits, err)
	}
	return err
}
