package tune

import (
	"context"

	"github.com/mercer-ml/mercer/learn/gp"
)

// evaluateGP finds the hyper-parameters of each fold by its own marginal
// likelihood. The first fold's search starts where the candidate says; the others
// start from what it found, which is near what they find, since folds share most of
// their rows.
func evaluateGP[T any](ctx context.Context, e *engine[T], s *space[T], k kernelOf[T], w *groupWork) error {
	threads := w.threads
	one := func(f int, k kernelOf[T], o fitOptions) (*Fitted[T], error) {
		fold := e.folds[f]
		m, err := fitOne(ctx, s, k, w.path[0], e.p.Gather(fold.Train), o)
		if err != nil {
			return nil, err
		}
		test := e.p.Gather(fold.Test)
		p, err := m.PredictAll(ctx, test.Points)
		if err != nil {
			return nil, err
		}
		p.Rows = fold.Test
		if m.logDensity != nil {
			p.LogDensity = m.logDensity(test.Points, test.Y)
		}
		// Cells of a group differ in nothing that a process uses.
		for i := range w.cells {
			if w.alive(i, f) {
				w.judge(i, f, p)
			}
		}
		return m, nil
	}
	o := fitOptions{tol: e.tol, bytes: e.bytes, threads: threads, prob: e.metric.NeedsProb}
	first, err := one(0, k, o)
	if err != nil {
		return err
	}
	o.noise, o.near = first.noise(), true
	return w.overFolds(len(e.folds)-1, func(f int) error {
		_, err := one(f+1, first.Kernel, o)
		return err
	})
}

// noise is the noise variance that a process found, 0 for other models.
func (f *Fitted[T]) noise() float64 {
	if m, ok := f.Regressor.(*gp.Regressor[T]); ok {
		return m.Noise()
	}
	return 0
}
