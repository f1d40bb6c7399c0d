package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/sparse"
)

// evaluateVectors judges the L1 and L2 vector machines: in each fold one kernel matrix serves all λ, and every solution
// starts from the one at the next larger λ.
func evaluateVectors[T any](ctx context.Context, e *engine[T], s *space[T], k kernelOf[T], w *groupWork) error {
	if w.inOrder {
		w.threads = 1
	}
	k, all := e.shared(s, k, w.threads)
	return w.overFolds(len(e.folds), func(f int) error {
		var cells []int
		var lambdas []float64
		for i := range w.cells {
			if w.alive(i, f) {
				cells, lambdas = append(cells, i), append(lambdas, w.path[i]["lambda"])
			}
		}
		if len(cells) == 0 {
			return nil
		}
		fold := e.folds[f]
		path, err := vectorPath(ctx, s.Learner, k, all.Gather(fold.Train), lambdas, learn.Resources{Threads: w.threads, Bytes: e.bytes})
		if err != nil {
			return err
		}
		test := all.Gather(fold.Test)
		for a, m := range path {
			p, err := m.PredictAll(ctx, test.Points)
			if err != nil {
				return err
			}
			p.Rows = fold.Test
			w.doubt(cells[a], m.unfinished())
			w.judge(cells[a], f, p)
		}
		return nil
	})
}

// vectorPath fits the machine at all λ.
func vectorPath[T any](ctx context.Context, l Learner, k kernelOf[T], p Problem[T], lambdas []float64, r learn.Resources) ([]*Fitted[T], error) {
	o := sparse.Options{Resources: r}
	out := make([]*Fitted[T], len(lambdas))
	for i := range out {
		out[i] = &Fitted[T]{Learner: l, Kernel: k, Task: p.Task, Rows: p.Len(), classes: p.classes()}
	}
	if p.Task == data.Regression {
		fit := sparse.L1VM[T]{Kernel: k, Weights: p.Weights, Options: o}.Path
		if l == L2VM {
			fit = sparse.L2VM[T]{Kernel: k, Weights: p.Weights, Options: o}.Path
		}
		path, err := fit(ctx, p.Points, p.Y, lambdas)
		for i, m := range path {
			out[i].Regressor = m
		}
		return out, err
	}
	fit := sparse.L1VMClassification[T, int]{Kernel: k, Weights: p.Weights, Options: o}.Path
	if l == L2VM {
		fit = sparse.L2VMClassification[T, int]{Kernel: k, Weights: p.Weights, Options: o}.Path
	}
	path, err := fit(ctx, p.Points, p.codes(), lambdas)
	for i, m := range path {
		out[i].Classifier = m
	}
	return out, err
}
