package cli

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/tune"
)

// worseError is a model that was written and is worse than none.
type worseError struct{ text string }

func (e *worseError) Error() string { return e.text }

// verdict is how the first test score stands beside the baseline's.
func verdict(r *tune.AutoResult) tune.Verdict {
	t, by := r.Test[0], r.Metric
	if r.Protocol.Evidence { // which has nothing to say of rows held out: they are judged by the first measure of the task
		by = tune.Metrics(r.Task)[0]
	}
	return t.Against(t.Baseline, by)
}

// notShown says that the baseline lies within the interval of the test score; it is empty where it
// does not, or there is no interval.
func notShown(r *tune.AutoResult) string {
	if len(r.Test) == 0 {
		return ""
	}
	if t := r.Test[0]; verdict(r) != tune.Level || math.IsNaN(t.Baseline) || math.IsNaN(t.Low) {
		return ""
	}
	return "which lies within the interval: these rows alone do not show that the model is better than none"
}

// worseThanBaseline is an error where a model is worse on the rows held out, by more than chance,
// than an answer that looks at no column.
func worseThanBaseline(r *tune.AutoResult, file string) error {
	if len(r.Test) == 0 {
		return nil
	}
	if verdict(r) != tune.Worse {
		return nil
	}
	t := r.Test[0]
	return &worseError{fmt.Sprintf("%s is worse than no model: %s %s on the rows held out, where the baseline has %s "+
		"(%s); do not use it\n  more time (--time), other columns or another --learner may help",
		file, t.Metric, number(t.Value), number(t.Baseline), baselineText(r.Baseline, r.Classes))}
}
