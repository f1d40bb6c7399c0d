package tune

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// heldOut counts the row of a fault in all rows, not in those held out.
func heldOut(err error, test []int) error {
	placed := data.PlaceRow(test, err)
	if placed == err {
		return fault.Errorf("tune", "the rows held out: %w", err)
	}
	return fault.In("tune", data.ExplainError("; the row is held out for the test", placed))
}

// enoughHeld is how many rows held out are enough for intervals by themselves. The share of new
// rows that the interval of a level p covers has a standard deviation of √(p(1-p)/n) over the draws
// of n rows held out (it has a beta distribution: V. Vovk, Conditional validity of inductive
// conformal predictors, ACML 2012): at p = ½ it is 0.016 with a thousand rows, and with sixty
// 0.065, so that a third of all models would have intervals of 50 % which cover less than 44 %.
// Where fewer were held out, the rows of the folds count too, each by a fit to the others (as in
// cross-conformal prediction, Vovk 2015), which are several times as many; their fits saw fewer
// rows, and are a little more off.
const enoughHeld = 1000

// timeLeft is how long it is until then; nothing once ctx has ended.
func timeLeft(ctx context.Context, c clock, end time.Time) func() time.Duration {
	return func() time.Duration {
		if ctx.Err() != nil {
			return 0
		}
		return end.Sub(c.now())
	}
}

// Rows held out that are always judged, whatever time that takes, and the share of the time left
// that judging the others may take: metrics, intervals and the report come after it.
const (
	judgedLeast = 1000
	judgedShare = 0.6
)

// judged is the rows held out, or so many of them, drawn at random, as there is time to ask the
// model about: a model of thousands of trees or support vectors may take longer to say something of
// a hundred thousand rows than it took to fit.
func (r *AutoResult) judged(
	ctx context.Context, d *data.Dataset, seed uint64, left func() time.Duration, c clock,
) []int {
	test := r.Split.Test
	if len(test) <= 2*judgedLeast {
		return test
	}
	rng := rand.New(rand.NewPCG(seed, 0x6a75646765))
	order, begun := rng.Perm(len(test)), c.now()
	x, err := r.Encoder.TransformLabelled(d.Gather(sorted(data.Take(test, order[:judgedLeast]))))
	if err != nil || x.Len() == 0 {
		return test // which is told there
	}
	r.outcome.known(context.WithoutCancel(ctx), x)
	each := c.now().Sub(begun).Seconds() / judgedLeast
	rows := max(judgedLeast, int(judgedShare*left().Seconds()/max(each, 1e-12)))
	if rows >= len(test) {
		return test
	}
	r.doubt("%s of the %s rows held out, drawn at random, are judged: there was no time for all of them, and how many "+
		"depends on the speed of the machine", phrase.Thousands(rows), phrase.Thousands(len(test)))
	return sorted(data.Take(test, order[:rows]))
}

// judge asks the model about the rows held out. Of a search that was stopped, or when the time is
// up, only the chosen metric has an interval: the others, by ranks above all, would take longer
// than a person waits.
func (r *AutoResult) judge(
	ctx context.Context, d *data.Dataset, seed uint64, left func() time.Duration, c clock,
) error {
	if len(r.Split.Test) == 0 {
		return nil
	}
	over := func() bool { return left() <= 0 }
	test := r.judged(ctx, d, seed, left, c)
	x, err := r.Encoder.TransformLabelled(d.Gather(test))
	if err != nil {
		return heldOut(err, test)
	}
	if x.Len() == 0 {
		return nil
	}
	known, answered, refused := r.outcome.known(context.WithoutCancel(ctx), x)
	if refused != nil {
		r.Refused = x.Len() - len(answered)
		r.doubt("%d of %d test rows are refused by the model, which would refuse them in prediction, and have no part in "+
			"its scores: %v", r.Refused, x.Len(), fault.Plain(refused))
	}
	if len(answered) == 0 {
		return nil
	}
	if t := r.Threshold; t != nil {
		known.Class = t.Decide(known.Prob, r.Classes)
	}
	r.TestPredictions = known
	p := &r.TestPredictions
	p.Rows = data.Take(data.Take(test, x.Kept), answered)
	if r.Task == data.Regression {
		off, err := r.outcome.residuals(context.WithoutCancel(ctx), x, answered)
		if err != nil {
			return err
		}
		if x.Len() < enoughHeld {
			off = pooled(r.foldOff, off)
		}
		r.residuals = thinEach(off)
	}
	if p.Groups, err = d.RowGroups(p.Rows); err != nil {
		return err
	}
	if r.TestUnits = p.Groups; r.TestUnits == nil && r.timeColumn != "" { // errors of neighbours in time are alike
		times, err := timesOf(d, r.timeColumn, p.Rows)
		if err != nil {
			return err
		}
		r.TestUnits = stretches(times)
	}
	if len(p.More) > 0 {
		r.judgeTargets(seed, over)
		return nil
	}
	metrics := metricsFrom(r.Metric, r.Task)
	if r.Threshold != nil || r.Metric.Name == AveragePrecision().Name {
		metrics = withRare(metrics)
	}
	if r.Metric.Name == GradeError().Name || r.Metric.Name == Kappa().Name || r.Metric.Name == RankedProbability().Name ||
		r.Chosen.Learner == "ordinal" {
		metrics = withGrades(metrics)
	}
	r.Test = Judge(*p, r.Baseline, metrics...)
	setIntervals(r.Test, *p, r.TestUnits, seed, over)
	return nil
}
