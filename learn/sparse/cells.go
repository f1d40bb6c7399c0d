package sparse

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// pathFit fits a machine at all λ.
type pathFit func(ctx context.Context, k kernel.Kernel[any], p learn.Problem[any], lambdas []float64,
	o Options) ([]learn.Model[any], error)

// judgePath judges the L1 and L2 vector machines: in each fold one kernel matrix serves all λ, and
// every solution starts from the one at the next larger λ.
func judgePath(fit pathFit) func(ctx context.Context, c *learn.Cells) error {
	return func(ctx context.Context, c *learn.Cells) error {
		k, all := c.Stored()
		threads := c.Threads
		if c.InOrder {
			threads = 1
		}
		return c.OverFolds(len(c.Folds), func(f int) error {
			var cells []int
			var lambdas []float64
			for i := range c.Params {
				if c.Alive(i, f) {
					cells, lambdas = append(cells, i), append(lambdas, c.Params[i]["lambda"])
				}
			}
			if len(cells) == 0 {
				return nil
			}
			path, err := fit(ctx, k, all.Gather(c.Folds[f].Train), lambdas,
				Options{Resources: learn.Resources{Threads: threads, Bytes: c.Bytes}})
			if err != nil {
				return err
			}
			for a, m := range path {
				if err := c.JudgeModel(ctx, cells[a], f, m, all); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// l1Path and l2Path fit the machines of the task.
func l1Path(
	ctx context.Context, k kernel.Kernel[any], p learn.Problem[any], lambdas []float64, o Options,
) ([]learn.Model[any], error) {
	if p.Task == data.Regression {
		return models(L1VM[any]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Y, lambdas))
	}
	return models(L1VMClassification[any, int]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points,
		p.Codes(), lambdas))
}

func l2Path(
	ctx context.Context, k kernel.Kernel[any], p learn.Problem[any], lambdas []float64, o Options,
) ([]learn.Model[any], error) {
	if p.Task == data.Regression {
		return models(L2VM[any]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Y, lambdas))
	}
	return models(L2VMClassification[any, int]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points,
		p.Codes(), lambdas))
}

func models[M learn.Model[any]](path []M, err error) ([]learn.Model[any], error) {
	out := make([]learn.Model[any], len(path))
	for i, m := range path {
		out[i] = m
	}
	return out, err
}
