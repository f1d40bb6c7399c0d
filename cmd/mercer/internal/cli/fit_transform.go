package cli

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/tune"
)

// transform reads --transform.
func (o *taskOptions) transform(out *tune.AutoOptions, d *data.Dataset, task data.Task) error {
	out.Transform = o.Transform
	switch {
	case o.Transform == "" || o.Transform == "none":
	case !slices.Contains(tune.Transforms(), o.Transform):
		return usage("--transform: %q%s; give %s", o.Transform, meant(o.Transform, tune.Transforms()),
			strings.Join(tune.Transforms(), ", "))
	case task != data.Regression:
		return usage("--transform %s: target %q has classes, and there is nothing to map", o.Transform, d.Target)
	case len(d.More) > 0:
		return usage("--transform %s: there are several targets; fit a model for each", o.Transform)
	}
	return nil
}

// mapKind is the name of a map; none has one too.
func mapKind(t *data.TargetMap) string {
	if t == nil {
		return "none"
	}
	return t.Kind
}

// mapWord is what a map makes of a target.
func mapWord(kind string) string {
	if kind == "log" {
		return "logarithm"
	}
	return "normal score of the rank"
}
