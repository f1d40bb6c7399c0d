package cli

import (
	"fmt"

	"github.com/mercer-ml/mercer/tune"
)

// worseError is a model that was written and is worse than none.
type worseError struct{ text string }

func (e *worseError) Error() string { return e.text }

// worseThanBaseline is an error where a model is worse on the rows held out, by more than chance, than an answer that looks at no column.
func worseThanBaseline(r *tune.AutoResult, file string) error {
	if len(r.Test) == 0 {
		return nil
	}
	t := r.Test[0]
	by := r.Metric
	if r.Protocol.Evidence { // which has nothing to say of rows held out: they are judged by the first measure of the task
		by = tune.Metrics(r.Task)[0]
	}
	if t.Against(t.Baseline, by) != tune.Worse {
		return nil
	}
	return &worseError{fmt.Sprintf("%s is worse than no model: %s %s on the rows held out, where the baseline has %s (%s); do not use it\n  more time (--time), other columns or another --learner may help",
		file, t.Metric, number(t.Value), number(t.Baseline), baselineText(r.Baseline, r.Classes))}
}
