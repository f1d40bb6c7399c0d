package fitting

import (
	"context"

	"github.com/mercer-ml/mercer/learn"
)

// FoldByFold is the Cells of a learner that has to see the points themselves, not a Gram matrix of
// them: every cell is fitted on every fold, and keeps to the budget by itself.
func FoldByFold(
	fit func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error),
) func(ctx context.Context, c *learn.Cells) error {
	return func(ctx context.Context, c *learn.Cells) error {
		for i := range c.Params {
			err := c.OverFolds(len(c.Folds), func(f int) error {
				if !c.Alive(i, f) {
					return nil
				}
				m, err := fit(ctx, c.Settings(i, c.Kernel, 1), c.Problem.Gather(c.Folds[f].Train))
				if err != nil {
					return err
				}
				return c.JudgeModel(ctx, i, f, m, c.Problem)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
