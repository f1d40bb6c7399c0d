package cli

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// checkInterval refuses intervals that the model at path cannot give, before any row is read.
func checkInterval(m *model.Model, path string, level float64, of string) error {
	switch {
	case of != "observation" && of != "mean" && of != "all":
		return usage("--of: %q%s; give observation, mean or all", of, meant(of, []string{"observation", "mean", "all"}))
	case level == 0 && of != "observation":
		return usage("--of %s says what an interval is of; give --interval 0.9 with it", of)
	case of == "all" && len(m.Targets()) < 2:
		return usage("--of all: its intervals hold all of several targets together, and %s predicts one; leave it out", path)
	case level == 0:
		return nil
	case !(level > 0 && level < 1):
		return usage("--interval: %g is no share of observations; give a number between 0 and 1, as 0.9", level)
	case m.Task() != data.Regression:
		return usage("--interval: %s predicts classes, which have no intervals; --proba says how sure it is", path)
	case of == "mean" && !m.HasStd():
		return usage("--of mean: %s has no distribution of its curve; fit with --learner gp, or leave --of out for "+
			"intervals of observations", path)
	case !m.HasIntervals():
		return usage("--interval: %s knows no errors on rows it was not fitted to; fit it again with mercer fit", path)
	}
	var few *model.IntervalError
	if err := m.CheckInterval(level); errors.As(err, &few) {
		return usage("--interval: %w; ask for less, hold more rows out (--holdout), or fit with --learner gp", few)
	}
	return nil
}

// coverage is what intervals hold.
type coverage struct {
	rows, inside int
	width        float64
}

// coverageOf asks the model for its intervals of the rows that were judged.
func coverageOf(
	ctx context.Context, m *model.Model, d *data.Dataset, judged learn.Predictions, level float64,
) (*coverage, error) {
	p, err := m.Predict(ctx, d.Gather(judged.Rows), model.Want{Interval: level})
	if err != nil {
		return nil, err
	}
	c := &coverage{}
	for i, row := range p.Rows {
		c.add(judged.Truth[row], p.Low[i], p.High[i])
	}
	return c, nil
}

// scores is what the intervals hold, as lines beside the metrics.
func (c *coverage) scores() []tune.TestScore {
	none := math.NaN()
	return []tune.TestScore{{Metric: "coverage", Value: c.share(), Low: none, High: none, Baseline: none},
		{Metric: "interval width", Value: c.meanWidth(), Low: none, High: none, Baseline: none}}
}

func (c *coverage) add(truth, low, high float64) {
	c.rows++
	c.width += high - low
	if low <= truth && truth <= high {
		c.inside++
	}
}

func (c *coverage) share() float64     { return float64(c.inside) / float64(c.rows) }
func (c *coverage) meanWidth() float64 { return c.width / float64(c.rows) }
