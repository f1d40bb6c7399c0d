package tune

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
)

// kernelOf shortens signatures.
type kernelOf[T any] = kernel.Kernel[T]

// evaluateCold fits each fold and each cell on its own: for learners without an
// evaluator that shares more than the Gram matrix, and where the budget holds none.
func evaluateCold[T any](ctx context.Context, e *engine[T], s *space[T], k kernelOf[T], w *groupWork) error {
	if w.inOrder {
		w.threads = 1
	}
	k, all := e.shared(s, k, w.threads)
	return w.overFolds(len(e.folds), func(f int) error {
		fold := e.folds[f]
		train := all.Gather(fold.Train)
		test := all.Gather(fold.Test)
		for _, i := range w.pathOrder("epsilon", "C") {
			if !w.alive(i, f) {
				continue
			}
			m, err := fitOne(ctx, s, k, w.path[i], train, fitOptions{tol: e.tol, bytes: e.bytes, threads: w.threads, prob: e.metric.NeedsProb})
			if err != nil {
				return err
			}
			p, err := m.PredictAll(ctx, test.Points)
			if err != nil {
				return err
			}
			p.Rows = fold.Test
			if m.logDensity != nil {
				p.LogDensity = m.logDensity(test.Points, test.Y)
			}
			w.doubt(i, m.unfinished())
			w.judge(i, f, p)
		}
		return nil
	})
}

// pathOrder sorts the cells of a group by parameters, the last named fastest.
func (w *groupWork) pathOrder(names ...string) []int {
	order := make([]int, len(w.path))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for _, name := range names {
			switch x, y := w.path[a][name], w.path[b][name]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
		}
		return 0
	})
	return order
}
