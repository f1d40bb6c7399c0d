package cli

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// baselineText says what the baseline predicts: `always "no", the commonest class`, "the mean,
// 22.5".
func baselineText(b learn.Baseline, classes []string) string {
	if c := b.Class(); len(b.Shares) > 0 && c < len(classes) {
		return fmt.Sprintf("always %s, the commonest class", strconv.Quote(clipName(classes[c])))
	}
	if len(b.More) > 0 {
		return "always the mean of each target"
	}
	return "always the mean, " + number(b.Mean)
}

// metricText is the name of a metric, with its class where it is of one.
func metricText(metric, positive string) string {
	if slices.Contains([]string{"f1", "average-precision", "recall", "precision"}, metric) && positive != "" {
		return fmt.Sprintf("%s of %s", metric, strconv.Quote(clipName(positive)))
	}
	return metric
}

// clipName shortens names that would fill a line.
func clipName(name string) string {
	const most = 24
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// positiveCode is the place of the class that --positive names.
func positiveCode(name string, classes []string) (int, error) {
	for c, have := range classes {
		if have == name {
			return c, nil
		}
	}
	if len(classes) == 0 {
		return 0, usage("--positive: there are no classes, but a quantity to predict")
	}
	return 0, usage("--positive: no class %q%s; there are %s", name, meant(name, classes), joinSome(classes))
}

// checkPositive sees, before a search, that --positive names a class, and that a measure of one
// class has one.
func (o *fitOptions) checkPositive(d *data.Dataset, task data.Task) error {
	if o.Positive == "" {
		if task == data.Multiclass && o.Metric == "f1" {
			return usage("--metric: f1 is of one class, and there are more than two; name it with --positive CLASS, or give " +
				"f1-macro or f1-micro")
		}
		return nil
	}
	var classes []string
	if task.Classification() {
		target, err := d.Column(d.Target)
		if err != nil {
			return inputError(err)
		}
		levels, err := target.As(data.Categorical)
		if err != nil {
			return inputError(err)
		}
		classes = levels.Levels
	}
	_, err := positiveCode(o.Positive, classes)
	return err
}
