package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// decide reads --costs and --threshold.
func (o *taskOptions) decide(out *tune.AutoOptions, target *data.Column, task data.Task) error {
	if o.Costs == "" && o.Threshold == "" {
		return nil
	}
	flag := "--costs"
	if o.Threshold != "" {
		flag = "--threshold"
	}
	switch {
	case o.Costs != "" && o.Threshold != "":
		return usage("--costs and --threshold: costs choose a threshold; leave one of the two out")
	case !task.Classification():
		return usage("%s: there are no classes, but a quantity to predict", flag)
	case task != data.Binary:
		return usage("%s: it is of two classes, and there are more; --class-weight NAME=WEIGHT makes one of several dearer",
			flag)
	case out.NoProbabilities:
		return usage("%s: a threshold is of a probability; leave --no-proba out", flag)
	}
	classes, err := target.As(data.Categorical)
	if err != nil {
		return inputError(err)
	}
	if o.Costs != "" {
		out.Costs, err = parseCosts(o.Costs, classes.Levels)
		return err
	}
	out.Threshold, err = parseThreshold(o.Threshold, out.Positive, classes.Levels)
	return err
}

// parseCosts reads NAME=COST,….
func parseCosts(text string, classes []string) (map[string]float64, error) {
	out := map[string]float64{}
	for _, part := range strings.Split(text, ",") {
		name, number, ok := cutLast(part, "=")
		name = strings.TrimSpace(name)
		c, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch {
		case !ok || err != nil || !(c > 0) || c > 1e300:
			return nil, usage("--costs: %q; write NAME=COST with a positive number, as in %s=50: what a row of the class "+
				"costs that is taken for the other", part, classes[len(classes)-1])
		case !slices.Contains(classes, name):
			return nil, usage("--costs: no class %q%s; there are %s", name, meant(name, classes), joinSome(classes))
		}
		out[name] = c
	}
	return out, nil
}

// parseThreshold reads 0.2, of the positive class, or NAME=0.2. An empty class is the rarer.
func parseThreshold(text, positive string, classes []string) (*model.Threshold, error) {
	out := &model.Threshold{Class: positive}
	number := text
	if name, rest, ok := cutLast(text, "="); ok {
		if out.Class, number = strings.TrimSpace(name), rest; !slices.Contains(classes, out.Class) {
			return nil, usage("--threshold: no class %q%s; there are %s", out.Class, meant(out.Class, classes),
				joinSome(classes))
		}
	}
	var err error
	if out.At, err = strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil || !(out.At > 0 && out.At < 1) {
		return nil, usage("--threshold: %q; give a probability between 0 and 1, as in 0.2 or %s=0.2", text,
			classes[len(classes)-1])
	}
	return out, nil
}
