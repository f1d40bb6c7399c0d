package sparse

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// pathFit fits a machine at all λ.
type pathFit[T any] func(ctx context.Context, k kernel.Kernel[T], p learn.Problem[T], lambdas []float64, o Options) ([]learn.Model[T], error)

// judgePath judges the L1 and L2 vector machines: in each fold one kernel matrix serves all λ, and every solution
// starts from the one at the next larger λ.
func judgePath[T any](fit pathFit[T]) func(ctx context.Context, c *learn.Cells[T]) error {
	return func(ctx context.Context, c *learn.Cells[T]) error {
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
			path, err := fit(ctx, k, all.Gather(c.Folds[f].Train), lambdas, Options{Resources: learn.Resources{Threads: threads, Bytes: c.Bytes}})
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
func l1Path[T any](ctx context.Context, k kernel.Kernel[T], p learn.Problem[T], lambdas []float64, o Options) ([]learn.Model[T], error) {
	if p.Task == data.Regression {
		return models[T](L1VM[T]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Y, lambdas))
	}
	return models[T](L1VMClassification[T, int]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Codes(), lambdas))
}

func l2Path[T any](ctx context.Context, k kernel.Kernel[T], p learn.Problem[T], lambdas []float64, o Options) ([]learn.Model[T], error) {
	if p.Task == data.Regression {
		return models[T](L2VM[T]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Y, lambdas))
	}
	return models[T](L2VMClassification[T, int]{Kernel: k, Weights: p.FitWeights(), Options: o}.Path(ctx, p.Points, p.Codes(), lambdas))
}

func models[T any, M learn.Model[T]](path []M, err error) ([]learn.Model[T], error) {
	out := make([]learn.Model[T], len(path))
	for i, m := range path {
		out[i] = m
	}
	return out, err
}
