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
	found, err := r.inside(within, d, r.outcome.folds())
	switch {
	case err == nil:
		r.Inside = r.Chosen
		r.Inside.Scores = found.scores
		r.Inside.summarise()
		r.foldOff, r.foldKnown = found.off, found.known
		r.because("the search encoded all of its rows at once; with each fold encoded by its own fitted rows the chosen "+
			"cell has %s %.4g ± %.2g", r.Metric.Name, r.Inside.Mean, r.Inside.SE)
	case within.Err() != nil:
		r.because("the scores of the search are of rows encoded all at once: there was no time for encoders inside the folds")
	default:
		r.because("the scores of the search are of rows encoded all at once: the fitted rows of a fold alone cannot be (%v)",
			fault.Plain(err))
	}
}

// insideFolds is what fits to folds, each encoded by its own fitted rows, say of the others.
type insideFolds struct {
	scores []float64
	// off is how far off each row is, once each, for each target of a regression; known is what is
	// said of each, of classes.
	off   [][]float64
	known *learn.Predictions
}

// inside is the chosen cell on folds of the rows searched on with an encoder (scales, words and
// their rarity, levels, fill values) refitted to the fitted rows of each fold: what the rows of a
// fold say of themselves has no part in it.
func (r *AutoResult) inside(ctx context.Context, d *data.Dataset, folds []data.Fold) (out insideFolds, err error) {
	each, known := make([][][]float64, len(folds)), make([]learn.Predictions, len(folds))
	scores, errs := make([]float64, len(folds)), make([]error, len(folds))
	par.For(0, len(folds), 1, func(f, _ int) {
		if errs[f] = ctx.Err(); errs[f] == nil {
			known[f], scores[f], each[f], errs[f] = r.insideFold(ctx, d, folds[f])
		}
	})
	for _, err := range errs {
		if err != nil {
			return out, err
		}
	}
	once := min(max(r.Protocol.Folds, 1), len(each)) // of one repeat
	for _, fold := range each[:once] {
		out.off = pooled(out.off, fold)
	}
	if out.scores = scores; r.Task.Classification() {
		out.known = joined(known[:once])
	}
	return out, nil
}

// joined is the probabilities of some rows and of others, with their truth; nil where some have
// none.
func joined(parts []learn.Predictions) *learn.Predictions {
	var out learn.Predictions
	for i, p := range parts {
		if p.Prob == nil {
			return nil
		}
		if i == 0 {
			out.Classes, out.Positive = p.Classes, p.Positive
		}
		out.Truth, out.Prob, out.Weights = append(out.Truth, p.Truth...), append(out.Prob, p.Prob...),
			append(out.Weights, p.Weights...)
	}
	if len(out.Weights) != len(out.Truth) {
		out.Weights = nil // all of them have some, or none
	}
	return &out
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

// insideFold is what is said of the rows of one fold, given in rows of those that were searched on,
// the score of that, and how far off its rows are.
func (r *AutoResult) insideFold(
	ctx context.Context, d *data.Dataset, fold data.Fold,
) (known learn.Predictions, score float64, off [][]float64, err error) {
	train, test := data.Take(r.searched, fold.Train), data.Take(r.searched, fold.Test)
	e, err := r.Encoder.Refit(d.Gather(train))
	if err != nil {
		return known, math.NaN(), nil, err
	}
	x, err := e.TransformLabelled(d.Gather(train))
	if err != nil {
		return known, math.NaN(), nil, err
	}
	y, err := e.TransformLabelled(d.Gather(test))
	if err != nil {
		return known, math.NaN(), nil, err
	}
	groups, err := d.RowGroups(data.Take(test, y.Kept))
	if err != nil {
		return known, math.NaN(), nil, err
	}
	return r.outcome.refitScore(ctx, x, y, groups)
}

func (f found) folds() []data.Fold { return f.Folds }

// refitScore is what a fit like the last one to some encoded rows says of others, and its score.
func (f found) refitScore(
	ctx context.Context, train, test *data.Encoded, groups []int,
) (known learn.Predictions, score float64, off [][]float64, err error) {
	var parts [2]learn.Problem[any]
	for i, x := range []*data.Encoded{train, test} {
		if parts[i], err = f.problem(x); err != nil {
			return known, math.NaN(), nil, err
		}
	}
	parts[1].Groups = groups
	m, err := f.refit(ctx, parts[0])
	if err != nil {
		return known, math.NaN(), nil, err
	}
	if known, err = m.known(ctx, parts[1]); err != nil {
		return known, math.NaN(), nil, err
	}
	if parts[1].Task == data.Regression {
		off, err = m.residuals(ctx, parts[1])
	}
	return known, f.Metric.Score(known), off, err
}

// apart is what the model of few centres that went before the last fit says of rows apart.
func (f found) apart() *learn.Predictions { return f.Result.apart }
