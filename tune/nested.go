package tune

import (
	"context"
	"fmt"
)

// NestedResult is an honest estimate of how well a whole search does: each
// outer fold is judged by a model whose parameters were chosen without it.
type NestedResult struct {
	Metric  Metric
	Scores  []float64 // of each outer fold
	Mean    float64
	SE      float64
	Low     float64 // 95 % interval over the outer folds
	High    float64
	Chosen  []Cell // what the search chose in each outer fold
	Fits    int
	Partial bool // stopped before the last outer fold
}

// Nested cross-validates a search: for each fold of outer the search runs on its fitted rows alone
// (with its own inner folds), and its model is judged on the rest. Search.Folds and Search.Journal
// are not used.
func Nested(ctx context.Context, s Search, outer Protocol) (*NestedResult, error) {
	if err := s.Problem.Check(); err != nil {
		return nil, err
	}
	s.Problem = s.Problem.NamePositive()
	folds, err := split(outer, s.Problem)
	if err != nil {
		return nil, err
	}
	s.Journal, s.Folds, s.NoModel = "", nil, false
	searches := make([]Search, len(folds))
	for f, fold := range folds {
		searches[f] = s
		searches[f].Problem = s.Problem.Gather(fold.Train)
		// Every inner search is checked before the first one runs.
		if _, err := searches[f].engine(); err != nil {
			return nil, fmt.Errorf("outer fold %d: %w", f+1, err)
		}
	}
	out := &NestedResult{}
	var c Cell
	for f, fold := range folds {
		r, err := searches[f].Run(ctx)
		if err != nil {
			if ctx.Err() != nil && f > 0 {
				out.Partial = true
				break
			}
			return nil, err
		}
		test := s.Problem.Gather(fold.Test)
		p, err := r.Model.known(context.WithoutCancel(ctx), test)
		if err != nil {
			return nil, err
		}
		p.Rows = fold.Test
		if out.Metric = r.Metric; s.Protocol.Evidence {
			out.Metric = Metrics(s.Problem.Task)[0] // there is no evidence of rows left out
		}
		out.Fits += r.Fits
		out.Chosen = append(out.Chosen, r.Chosen)
		c.Scores = append(c.Scores, out.Metric.Score(p))
		if r.Interrupted && ctx.Err() != nil {
			out.Partial = f+1 < len(folds)
			break
		}
	}
	c.summarise()
	out.Scores, out.Mean, out.SE, out.Low, out.High = c.Scores, c.Mean, c.SE, c.Low, c.High
	return out, nil
}
