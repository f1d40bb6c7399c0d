package gp

import (
	"context"

	"github.com/mercer-ml/mercer/learn"
)

// judgeCells finds the hyper-parameters of each fold by its own marginal
// likelihood. The first fold's search goes from all starts; the others
// start from what it found, which is near what they find, since folds share most of
// their rows.
func judgeCells(starts []Start) func(ctx context.Context, c *learn.Cells) error {
	return func(ctx context.Context, c *learn.Cells) error {
		if len(c.Params) > 1 { // of noise that is known: a search for each
			for i := range c.Params {
				one := *c
				one.Params = c.Params[i : i+1]
				one.Alive = func(_, f int) bool { return c.Alive(i, f) }
				one.Judge = func(_, f int, p learn.Predictions) { c.Judge(i, f, p) }
				one.Doubt = func(_ int, left float64) { c.Doubt(i, left) }
				one.Refuse = func(_ int, err error) { c.Refuse(i, err) }
				if err := judgeCells(starts)(ctx, &one); err != nil {
					return err
				}
			}
			return nil
		}
		s := c.Settings(0, c.Kernel, c.Threads)
		if err := checkOutputs(s, c.Problem); err != nil {
			return err
		}
		judge := func(f int, m learn.Model[any]) error {
			for i := range c.Params {
				if !c.Alive(i, f) {
					continue
				}
				if err := c.JudgeModel(ctx, i, f, m, c.Problem); err != nil {
					return err
				}
			}
			return nil
		}
		first, err := climb(ctx, s, c.Problem.Gather(c.Folds[0].Train), starts)
		if err != nil {
			return err
		}
		if err := judge(0, first); err != nil {
			return err
		}
		noise := 0.0
		if m, ok := first.(interface{ Noise() float64 }); ok {
			noise = m.Noise()
		}
		return c.OverFolds(len(c.Folds)-1, func(f int) error {
			m, err := climbFrom(ctx, first.Kernel(), noise, nearSteps, s, c.Problem.Gather(c.Folds[f+1].Train))
			if err != nil {
				return err
			}
			return judge(f+1, m)
		})
	}
}
