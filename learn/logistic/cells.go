package logistic

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// cellTol is the tolerance of fits that are only judged.
const cellTol = 1e-6

// judgeCells fits all folds and all λ on one Gram matrix: a fold is a
// choice of its rows and columns.
func judgeCells(ctx context.Context, c *learn.Cells) error {
	if cellsByFeatures(c) {
		if done, err := judgeFeatures(ctx, c); done || err != nil {
			return err
		}
		if n := int64(c.Problem.Len()); 16*n*n > c.Bytes {
			return judgeEach(ctx, c)
		}
	}
	gram := linalg.Matrix[float64](c.Gram())
	return c.OverFolds(len(c.Folds), func(f int) error {
		fold := c.Folds[f]
		m := len(fold.Train)
		shared := foldKernel(gram, fold)
		test := make(data.Slice[int], len(fold.Test))
		for i := range test {
			test[i] = m + i
		}
		p := c.Problem.Gather(fold.Train)
		for _, i := range c.Order("lambda") {
			if !c.Alive(i, f) {
				continue
			}
			r := Regression[int, int]{Kernel: shared, Lambda: c.Params[i]["lambda"], Intercept: !c.NoIntercept,
				Weights: p.FitWeights(), Tol: cellTol, Resources: learn.Resources{Threads: 1, Bytes: c.Bytes, TrustKernel: true}}
			model, err := r.Fit(ctx, data.Indices(m), p.Codes())
			if err != nil {
				return err
			}
			if err := learn.JudgeModel[int](ctx, c, i, f, model, learn.Problem[int]{Points: test}); err != nil {
				return err
			}
		}
		return nil
	})
}

// foldKernel is a fold's part of a Gram matrix, as a kernel on indices: rows
// of the fold first, then those it is judged by.
func foldKernel(gram linalg.Matrix[float64], fold data.Fold) kernel.Precomputed {
	all := append(append([]int(nil), fold.Train...), fold.Test...)
	part := linalg.New[float64](len(all), len(fold.Train))
	for i, r := range all {
		to, from := part.Row(i), gram.Row(r)
		for j, c := range fold.Train {
			to[j] = from[c]
		}
	}
	return kernel.Precomputed{K: linalg.Dense(part)}
}
