package tune

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// judgeInside sets Inside. The search encodes all of its rows once, so that folds share their
// kernel values, and chooses by that; what it chose is judged once more, a fit for each fold. Where
// there is no time for that before the end, it is said.
func (r *AutoResult) judgeInside(ctx context.Context, d *data.Dataset, c clock, end time.Time) {
	within, cancel := c.until(ctx, end)
	defer cancel()
	scores, off, err := r.inside(within, d)
	switch {
	case err == nil:
		r.Inside = r.Chosen
		r.Inside.Scores = scores
		r.Inside.summarise()
		r.foldOff = off
		r.because("the search encoded all of its rows at once; with each fold encoded by its own fitted rows the chosen cell has %s %.4g ± %.2g", r.Metric.Name, r.Inside.Mean, r.Inside.SE)
	case within.Err() != nil:
		r.because("the scores of the search are of rows encoded all at once: there was no time for encoders inside the folds")
	default:
		r.because("the scores of the search are of rows encoded all at once: the fitted rows of a fold alone cannot be (%v)", fault.Plain(err))
	}
}

// inside is the scores of the chosen cell on the folds of the search with an encoder (scales, words
// and their rarity, levels, fill values) refitted to the fitted rows of each fold: what the rows of
// a fold say of themselves has no part in them. off is how far it is off on each row of the folds,
// once each, for each target of a regression.
func (r *AutoResult) inside(ctx context.Context, d *data.Dataset) (scores []float64, off [][]float64, err error) {
	folds := r.outcome.folds()
	each := make([][][]float64, len(folds))
	scores, errs := make([]float64, len(folds)), make([]error, len(folds))
	par.For(0, len(folds), 1, func(f, _ int) {
		if errs[f] = ctx.Err(); errs[f] == nil {
			scores[f], each[f], errs[f] = r.insideFold(ctx, d, folds[f])
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	for _, fold := range each[:min(max(r.Protocol.Folds, 1), len(each))] { // of one repeat
		off = pooled(off, fold)
	}
	return scores, off, nil
}

// pooled is residuals of some rows and of others, for each target.
func pooled(a, b [][]float64) [][]float64 {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([][]float64, len(a))
	for t := range out {
		if a[t] != nil && b[t] != nil { // nil says that there is nothing to be learnt from them
			out[t] = slices.Concat(a[t], b[t])
		}
	}
	return out
}

// insideFold is the score of one fold, given in rows of those that were searched on, and how far
// off its rows are.
func (r *AutoResult) insideFold(ctx context.Context, d *data.Dataset, fold data.Fold) (float64, [][]float64, error) {
	train, test := data.Take(r.searched, fold.Train), data.Take(r.searched, fold.Test)
	e, err := r.Encoder.Refit(d.Gather(train))
	if err != nil {
		return math.NaN(), nil, err
	}
	x, err := e.TransformLabelled(d.Gather(train))
	if err != nil {
		return math.NaN(), nil, err
	}
	y, err := e.TransformLabelled(d.Gather(test))
	if err != nil {
		return math.NaN(), nil, err
	}
	groups, err := d.RowGroups(data.Take(test, y.Kept))
	if err != nil {
		return math.NaN(), nil, err
	}
	return r.outcome.refitScore(ctx, x, y, groups)
}

func (f found) folds() []data.Fold { return f.Folds }

// refitScore is that of a fit like the last one to some encoded rows, on others.
func (f found) refitScore(ctx context.Context, train, test *data.Encoded, groups []int) (float64, [][]float64, error) {
	var parts [2]learn.Problem[any]
	for i, x := range []*data.Encoded{train, test} {
		var err error
		if parts[i], err = f.problem(x); err != nil {
			return math.NaN(), nil, err
		}
	}
	parts[1].Groups = groups
	m, err := f.refit(ctx, parts[0])
	if err != nil {
		return math.NaN(), nil, err
	}
	known, err := m.known(ctx, parts[1])
	if err != nil || parts[1].Task != data.Regression {
		return f.Metric.Score(known), nil, err
	}
	off, err := m.residuals(ctx, parts[1])
	return f.Metric.Score(known), off, err
}
