package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// What AutoOptions.Transform may be.
const (
	transformNone = "none" // the target as it is
	transformLog  = "log"  // its logarithm
	transformRank = "rank" // the normal quantile of its rank
	transformAuto = "auto" // the one that is better on folds by more than chance, or none
)

// Transforms lists them.
func Transforms() []string {
	return []string{transformNone, transformLog, transformRank, transformAuto}
}

// transforms says whether the target is to be mapped, and refuses what has no map.
func (o *AutoOptions) transforms(d *data.Dataset, task data.Task) (bool, error) {
	switch {
	case o.Transform == "" || o.Transform == transformNone:
		return false, nil
	case !slices.Contains(Transforms(), o.Transform):
		return false, fault.Errorf("tune", "no transform %q of the target (there are: %s)", o.Transform,
			strings.Join(Transforms(), ", "))
	case task != data.Regression:
		return false, fault.Errorf("tune", "transform %q of a target that is no number (%v)", o.Transform, task)
	case len(d.More) > 0:
		return false, fault.Errorf("tune", "transform %q of several targets; fit a model for each", o.Transform)
	case o.Evidence && o.Transform == transformAuto:
		return false, fault.Errorf("tune",
			"marginal likelihoods of differently mapped targets say nothing of each other; choose a transform, or judge by folds")
	case o.Transform == transformLog:
		return true, checkLog(d)
	}
	return true, nil
}

// checkLog refuses a target without a logarithm in any row that has one, those held out among them.
func checkLog(d *data.Dataset) error {
	target, err := d.Column(d.Target)
	if err != nil {
		return err
	}
	numbers, err := target.As(data.Numeric)
	if err != nil {
		return data.PlaceError(d.Name, 0, err)
	}
	for i, v := range numbers.Numbers {
		if v <= 0 {
			_, err := data.FitTargetMap("log", numbers.Numbers[i:i+1])
			e := *err.(*data.Error)
			e.Row, e.Column = i+1, target.Name
			return data.PlaceError(d.Name, 0, &e)
		}
	}
	return nil
}

// mapTarget finds the map of the targets of the fitted rows.
func (r *AutoResult) mapTarget(kind string, y []float64) (err error) {
	if r.TargetMap, err = data.FitTargetMap(kind, y); err != nil {
		return fault.In("tune", err)
	}
	what := "the logarithm of the target"
	if kind == "rank" {
		what = fmt.Sprintf("the normal quantile of the target's rank among the %d fitted rows", len(y))
	}
	r.note("fitted to %s; scores are of the target itself, and a prediction is the median of what to expect, not its mean",
		what)
	return nil
}

// onMapped is a metric of the targets themselves on predictions of mapped ones.
func (m Metric) onMapped(t *data.TargetMap) Metric {
	if t == nil || m.Score == nil {
		return m
	}
	score := m.Score
	m.Score = func(p learn.Predictions) float64 { return score(unmapped(p, t)) }
	return m
}

// plainly is the metric of a search as one of the targets themselves.
func (r *AutoResult) plainly(searched, asked Metric) Metric {
	if r.TargetMap == nil || asked.Score == nil {
		return searched
	}
	return asked
}

// unmapped is predictions as those of the targets themselves.
func unmapped(p learn.Predictions, t *data.TargetMap) learn.Predictions {
	if t == nil {
		return p
	}
	truth := make([]float64, len(p.Truth))
	for i, z := range p.Truth {
		truth[i] = t.Invert(z)
	}
	return model.MapBack(p, t, truth)
}

// autoTransform is Auto for each transform that the target can take, in equal parts of the time, on
// the same folds: another one than none is chosen where it is better by more than one standard
// error of the difference over them.
func autoTransform(ctx context.Context, d *data.Dataset, o AutoOptions) (*AutoResult, error) {
	clock := clockOr(o.clock)
	begun := clock.now()
	kinds := []string{transformNone, transformLog, transformRank}
	unable := checkLog(d)
	if unable != nil {
		kinds = []string{transformNone, transformRank}
	}
	var best *AutoResult
	var told []string
	journal := o.Journal
	for i, kind := range kinds {
		one := o
		one.Transform = kind
		one.Spent = o.Spent + clock.now().Sub(begun)
		one.Budget = one.Spent + (o.Budget-one.Spent)/time.Duration(len(kinds)-i)
		if journal != "" && kind != transformNone {
			one.Journal = journal + "." + kind
		}
		r, err := Auto(ctx, d, one)
		switch {
		case err != nil && best == nil:
			return nil, err
		case err != nil:
			told = append(told, fmt.Sprintf("%s could not be judged (%v)", kind, fault.Plain(err)))
			continue
		case best == nil:
			best = r
			told = append(told, fmt.Sprintf("%s %.4g as it is", r.Metric.Name, r.Chosen.Mean))
		default:
			lead, se := math.NaN(), math.NaN()
			if len(r.Chosen.Scores) == len(best.Chosen.Scores) {
				lead, se = r.Metric.lead(r.Chosen.Scores, best.Chosen.Scores, float64(max(r.Protocol.Repeats, 1)))
			}
			told = append(told, fmt.Sprintf("%.4g by %s (better by %.2g ± %.2g)", r.Chosen.Mean, kind, lead, se))
			if lead > se {
				best = r
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	chosen := transformNone
	if best.TargetMap != nil {
		chosen = best.TargetMap.Kind
	}
	if unable != nil {
		told = append(told, "no log: a target is not positive")
	}
	best.note("transform of the target: %s, chosen by the folds (%s)", chosen, strings.Join(told, ", "))
	best.Elapsed = clock.now().Sub(begun)
	return best, nil
}
