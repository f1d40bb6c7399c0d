package ridge

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// judgeAll judges cells whose targets are apart from one decomposition for all folds, and those
// whose targets are joint from one for each: what couples them is found on the rows that a fold
// fits.
func judgeAll(ctx context.Context, c *learn.Cells) error {
	var apart, joint []int
	for i, params := range c.Params {
		if isJoint(params, c.Problem) {
			joint = append(joint, i)
		} else {
			apart = append(apart, i)
		}
	}
	if len(joint) == 0 {
		return judgeCells(ctx, c)
	}
	if err := judgeJoint(ctx, part(c, joint)); err != nil || len(apart) == 0 {
		return err
	}
	return judgeCells(ctx, part(c, apart))
}

// part is some of the cells.
func part(c *learn.Cells, of []int) *learn.Cells {
	out := *c
	out.Params = nil
	for _, i := range of {
		out.Params = append(out.Params, c.Params[i])
	}
	out.Alive = func(cell, fold int) bool { return c.Alive(of[cell], fold) }
	out.Judge = func(cell, fold int, p learn.Predictions) { c.Judge(of[cell], fold, p) }
	out.Doubt = func(cell int, left float64) { c.Doubt(of[cell], left) }
	out.Refuse = func(cell int, err error) { c.Refuse(of[cell], err) }
	return &out
}

// judgeJoint judges every λ on the folds.
func judgeJoint(ctx context.Context, c *learn.Cells) error {
	for _, params := range c.Params {
		if err := checkJoint(params, c.Problem); err != nil {
			return err
		}
	}
	gram := linalg.Matrix[float64](c.Gram())
	return c.OverFolds(len(c.Folds), func(f int) error {
		fold := c.Folds[f]
		k := linalg.New[float64](len(fold.Train), len(fold.Train))
		for i, r := range fold.Train {
			for j, q := range fold.Train {
				k.Set(i, j, gram.At(r, q))
			}
		}
		across := linalg.New[float64](len(fold.Test), len(fold.Train))
		for i, r := range fold.Test {
			for j, q := range fold.Train {
				across.Set(i, j, gram.At(r, q))
			}
		}
		coupled, err := couple(ctx, 1, k, c.Problem.Gather(fold.Train), !c.NoIntercept)
		if err != nil {
			return fmt.Errorf("ridge: %w", err)
		}
		for i, params := range c.Params {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !c.Alive(i, f) {
				continue
			}
			lambda := params["lambda"]
			coef, bias, err := coupled.at(lambda)
			if err != nil {
				return fmt.Errorf("ridge: λ = %g: %w", lambda, err)
			}
			values := linalg.New[float64](len(fold.Test), coef.Cols)
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, across, coef, 0, values)
			for r := range values.Rows {
				for t, b := range bias {
					values.Row(r)[t] += b
				}
			}
			c.Judge(i, f, fitting.Decide(values, fold.Test, 0))
		}
		return nil
	})
}
