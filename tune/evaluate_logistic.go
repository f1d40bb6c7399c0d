package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
)

// evaluateLogistic fits all folds and all λ on one Gram matrix: a fold is a
// choice of its rows and columns.
func evaluateLogistic[T any](ctx context.Context, e *engine[T], k kernel.Kernel[T], w *groupWork) error {
	n := e.p.Len()
	gram := linalg.New[float64](n, n)
	e.metrics.gram64(gram, k, w.threads)
	return w.overFolds(len(e.folds), func(f int) error {
		fold := e.folds[f]
		m := len(fold.Train)
		shared := foldKernel(gram, fold)
		test := make(data.Slice[int], len(fold.Test))
		for i := range test {
			test[i] = m + i
		}
		p := e.p.Gather(fold.Train)
		for _, i := range w.pathOrder("lambda") {
			if !w.alive(i, f) {
				continue
			}
			c := logistic.Regression[int, int]{Kernel: shared, Lambda: w.path[i]["lambda"], Intercept: w.intercept,
				Weights: p.Weights, Tol: 1e-6, Resources: learn.Resources{Threads: 1, Bytes: e.bytes}}
			model, err := c.Fit(ctx, data.Indices(m), p.codes())
			if err != nil {
				return err
			}
			fitted := &Fitted[int]{Learner: Logistic, Classifier: model, classes: p.classes()}
			out, err := fitted.PredictAll(ctx, test)
			if err != nil {
				return err
			}
			out.Rows = fold.Test
			w.doubt(i, fitted.unfinished())
			w.judge(i, f, out)
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
