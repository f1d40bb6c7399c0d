package tune

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// evaluateCold fits each fold and each cell on its own: for learners whose cells
// share no more than the Gram matrix, and where the budget holds none.
func evaluateCold(ctx context.Context, e *engine, s *space, c *learn.Cells) error {
	threads := c.Threads
	if c.InOrder {
		threads = 1
	}
	// A stored Gram matrix may take half of the memory; two fits at a time, with all threads each,
	// share the rest. What a fit is given must not depend on the number of threads, since it may
	// take another way with less.
	const sideBySide = 2
	// A kernel that is fitted to rows is another one in each fold, fitted to those that the fold is
	// fitted to.
	learns := kernel.Learns(c.Kernel)
	k, all := c.Kernel, c.Problem
	if !learns {
		k, all = c.Stored()
	}
	limited := *c
	if limited.Threads = min(par.Workers(threads), sideBySide); c.InOrder {
		limited.Threads = 1
	}
	return limited.OverFolds(len(c.Folds), func(f int) error {
		k, all := k, all
		if learns {
			own, err := fittedTo(ctx, c.Kernel, all.Gather(c.Folds[f].Train), threads)
			if err != nil {
				return err
			}
			k, all = e.shared(s, own, threads)
		}
		train, test := all.Gather(c.Folds[f].Train), all.Gather(c.Folds[f].Test)
		for _, i := range c.Order("epsilon", "C") {
			if !c.Alive(i, f) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			set := e.settings(s, k, c.Params[i], threads, c.Proba)
			set.Bytes /= 2 * sideBySide
			set.TrustKernel = true // the last fit asks
			m, err := fitOne(ctx, s, set, train)
			if err != nil {
				return err
			}
			p, err := m.known(ctx, test)
			if err != nil {
				return err
			}
			p.Rows = c.Folds[f].Test
			if m.Model != nil {
				c.Doubt(i, learn.Unfinished(m.Model))
			}
			c.Judge(i, f, p)
		}
		return nil
	})
}
