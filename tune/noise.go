package tune

import (
	"math"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/learn"
)

// NoiseLearners lists the learners that heed the noise of each row.
func NoiseLearners() (names []string) {
	for _, l := range all.Learners() {
		if l.RowNoise {
			names = append(names, l.Name)
		}
	}
	return names
}

// settleNoise has a data set whose rows have a noise of their own learnt by those that heed it, and
// refuses what they cannot.
func (o *AutoOptions) settleNoise(d *data.Dataset) error {
	if d.Noise == "" {
		return nil
	}
	switch {
	case len(d.More) > 0:
		return fault.Errorf("tune",
			"the noise of each row (%q) has the unit of one target, and there are %d; fit a model for each", d.Noise,
			len(d.More)+1)
	case o.Transform != "" && o.Transform != transformNone:
		return fault.Errorf("tune",
			"the noise of each row (%q) has the unit of the target, and transform %q changes it; leave one of the two out",
			d.Noise, o.Transform)
	case o.only == onlyCenters || o.CenterRows != nil:
		return fault.Errorf("tune",
			"models on few centres do not heed the noise of each row (%q); leave solver and centres out", d.Noise)
	}
	if o.Learners == nil {
		o.Learners = NoiseLearners()
	}
	return nil
}

// refusesNoise is the error of a learner that does not heed the noise of a problem's rows.
func refusesNoise(l learn.Learner, p learn.Problem[any]) error {
	if p.Noise == nil || l.RowNoise {
		return nil
	}
	return fault.In("tune", &refusal.NoiseError{Learner: l.Name, Can: NoiseLearners()})
}

// tellNoise says what the noise of rows is taken for: somebody who gave deviations in place of
// variances sees it here.
func (r *AutoResult) tellNoise(name string, noise []float64) {
	if noise == nil {
		return
	}
	sorted := make([]float64, len(noise))
	copy(sorted, noise)
	sort.Float64s(sorted)
	r.note("%q is the noise variance of each row's target (a standard deviation of %.4g in the middle); noise beside "+
		"it is found", name, math.Sqrt(sorted[len(sorted)/2]))
}
