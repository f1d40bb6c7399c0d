package tune

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// TargetResult is what is known of one of several targets.
type TargetResult struct {
	Name     string
	Baseline learn.Baseline
	Test     []TestScore // on the rows held out, in the target's own unit
}

// SeveralError is a learner that was asked to learn more than one target and cannot.
type SeveralError struct {
	Learner string
	Targets int
	Can     []string // those that do
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("%s learns one target, and there are %d; %s learn several, or fit a model for each", e.Learner,
		e.Targets, strings.Join(e.Can, " and "))
}

// SeveralLearners lists the learners of several targets.
func SeveralLearners() (names []string) {
	for _, l := range all.Learners() {
		if l.Several {
			names = append(names, l.Name)
		}
	}
	return names
}

// severalTask is the task of a data set of several targets, which are numbers.
func severalTask(d *data.Dataset, o AutoOptions) (data.Task, string, error) {
	switch {
	case o.Task != data.Unsupervised && o.Task != data.Regression:
		return 0, "", fault.Errorf("tune",
			"the task is %v, and there are %d targets: several are predicted together where all of them are numbers", o.Task,
			len(d.More)+1)
	case o.only == onlyCenters:
		return 0, "", fault.Errorf("tune",
			"models on few centres learn one target, and there are %d; leave solver and centres out", len(d.More)+1)
	}
	return data.Regression, fmt.Sprintf("%d targets, which are numbers", len(d.More)+1), nil
}

// overTargets is a metric on predictions of several targets: the mean of what it is on each, in
// units of the deviation of that target on the fitted rows where it has a unit. It is the metric
// itself where there is one target.
func overTargets(m Metric, b learn.Baseline) Metric {
	if len(b.More) == 0 {
		return m
	}
	if m.Score == nil {
		m = RMSE()
	}
	units := make([]float64, 1+len(b.More))
	for t := range units {
		units[t] = 1
		if d := b.Target(t).Deviation; hasUnit(m) && d > 0 {
			units[t] = d
		}
	}
	if hasUnit(m) {
		m.Name += "/sd"
	}
	score := m.Score
	m.Score = func(p learn.Predictions) float64 {
		sum := score(p.Target(0)) / units[0]
		for t := range p.More {
			sum += score(p.Target(t+1)) / units[t+1]
		}
		return sum / float64(1+len(p.More))
	}
	return m
}

// hasUnit says whether a metric is in the unit of the target.
func hasUnit(m Metric) bool { return m.Name == RMSE().Name || m.Name == MAE().Name }

// fitSeveral fits the choice of a search on part of the rows on all of them or, where there is no
// time or no memory for that, on those of the search.
func fitSeveral(
	ctx context.Context, c clock, end time.Time, r *AutoResult, res *Result, p, part learn.Problem[any],
) (err error) {
	within, cancel := c.until(ctx, end)
	defer cancel()
	if res.Model, err = res.refit(within, p); err == nil {
		return nil
	}
	why := "to keep to the time"
	if within.Err() == nil {
		why = fmt.Sprintf("since there is no room for all of them: %v", fault.Plain(err))
	}
	res.Interrupted = res.Interrupted || ctx.Err() != nil
	if res.Model, err = res.refit(context.WithoutCancel(ctx), part); err != nil {
		return err
	}
	r.note("fitted on %s, %s", ofRows(part.Len(), p.Len()), why)
	return nil
}

// nameTargets sets Targets.
func (r *AutoResult) nameTargets(d *data.Dataset) {
	if len(d.More) == 0 {
		return
	}
	for t, name := range d.Targets() {
		r.Targets = append(r.Targets, TargetResult{Name: name, Baseline: r.Baseline.Target(t)})
	}
}

// judgeTargets judges the rows held out by each target, and by all of them together.
func (r *AutoResult) judgeTargets(seed uint64, over func() bool) {
	for t := range r.Targets {
		p := r.TestPredictions.Target(t)
		r.Targets[t].Test = Judge(p, r.Targets[t].Baseline, Metrics(r.Task)...)
		setIntervals(r.Targets[t].Test, p, r.TestUnits, seed, over)
	}
	joint := []Metric{r.Metric}
	for _, m := range Metrics(r.Task) {
		if m = overTargets(m, r.Baseline); m.Name != r.Metric.Name {
			joint = append(joint, m)
		}
	}
	r.Test = Judge(r.TestPredictions, r.Baseline, joint...)
	setIntervals(r.Test, r.TestPredictions, r.TestUnits, seed, over)
}

// thinEach is model.ThinResiduals of each target.
func thinEach(residuals [][]float64) [][]float64 {
	out := make([][]float64, len(residuals))
	for t, off := range residuals {
		out[t] = model.ThinResiduals(off)
	}
	return out
}
