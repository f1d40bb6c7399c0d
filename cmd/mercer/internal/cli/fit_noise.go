package cli

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// checkNoise refuses, before a search, what does not go with a column of noise variances: nothing
// is fitted as if it were not there.
func (o *fitOptions) checkNoise(d *data.Dataset, task data.Task) error {
	if o.Noise == "" {
		return nil
	}
	switch {
	case task != data.Regression:
		return usage("--noise: it is a variance of numbers, and the task is %v; leave it out", task)
	case len(d.More) > 0:
		return usage("--noise: it has the unit of one target, and --target names %d; fit a model for each", len(d.More)+1)
	case o.Noise == d.Target:
		return usage("--noise: %q is the target, too", o.Noise)
	case o.Noise == o.Weights || o.Noise == o.Groups:
		return usage("--noise: %q has another part, too; name each column once", o.Noise)
	case o.Bags != "":
		return usage("--noise: with --bags rows are put together, and each has a noise of its own; leave one of the two out")
	case o.Task.Transform != "" && o.Task.Transform != "none":
		return usage("--noise: it has the unit of the target, and --transform %s changes it; leave one of the two out",
			o.Task.Transform)
	case o.Solver != "" || o.Centers > 0 || o.CenterAt != "":
		return usage("--noise: Gaussian processes heed it, and are fitted to all points; leave --solver, --centers and " +
			"--center-file out")
	}
	for _, name := range (learnerList{&o.Learners}).names() {
		if l, ok := all.Described(name); ok && !l.RowNoise {
			return usage("--learner: %w", &refusal.NoiseError{Learner: name, Can: tune.NoiseLearners()})
		}
	}
	return nil
}

// noiseMissing says whether deviations of observations are asked for, and the noise of these rows
// is not known.
func noiseMissing(m *model.Model, want model.Want, rows *data.Dataset) bool {
	e := m.Info().Encoder
	if e == nil || e.Noise == "" || want.OfMean || !want.Std && want.Interval == 0 {
		return false
	}
	_, err := rows.Column(e.Noise)
	return err != nil
}
