package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Threshold says from which probability on a class of two is named; below it the other one is.
// Without one a model names the more probable class, which is right most often, and finds nothing
// of a class that is rare.
type Threshold struct {
	Class string  `json:"class"`
	At    float64 `json:"at"` // between 0 and 1
	// Costs is what a row of each class costs that is taken for the other, by which At was chosen;
	// nil: it was not by costs.
	Costs map[string]float64 `json:"costs,omitempty"`
	Why   string             `json:"why,omitempty"` // how it was chosen, for people
}

// thresholdFormat is that of models with a threshold, which an older mercer would not heed.
const thresholdFormat = 7

// keyThreshold has the threshold.
const keyThreshold = "threshold"

// WithThreshold is the model with another threshold; nil: the more probable class is named. What
// was fitted does not change. The error says why the model cannot have it: more than two classes,
// or no probabilities.
func (m *Model) WithThreshold(t *Threshold) (*Model, error) {
	out := *m
	if out.info.Threshold = nil; t != nil {
		own := *t
		own.Costs = maps.Clone(t.Costs)
		out.info.Threshold = &own
	}
	if err := out.info.checkThreshold(out.body); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return &out, nil
}

// checkThreshold refuses one that the model cannot go by.
func (i *Info) checkThreshold(b body) error {
	t := i.Threshold
	switch {
	case t == nil:
		return nil
	case len(i.Classes) != 2 || b.learner() == "one-class":
		return fmt.Errorf("a threshold for %q in a model of %d classes; it takes two", clip(t.Class), len(i.Classes))
	case !slices.Contains(i.Classes, t.Class):
		return fmt.Errorf("a threshold for %q, which is no class (there are %s)", clip(t.Class),
			strings.Join(i.Classes, ", "))
	case !b.hasProba():
		return fmt.Errorf("a threshold of a probability: %w", ErrNoProbabilities)
	case !(t.At > 0 && t.At < 1):
		return fmt.Errorf("a threshold of %g; it lies between 0 and 1", t.At)
	}
	for class, c := range t.Costs {
		if !slices.Contains(i.Classes, class) || !(c > 0) || !finite(c) {
			return fmt.Errorf("a cost of %g for class %q; give a positive number for one of %s", c, clip(class),
				strings.Join(i.Classes, ", "))
		}
	}
	return nil
}

// Decide is the class codes of rows by their probabilities, two for each row, of the classes named.
func (t *Threshold) Decide(prob []float64, classes []string) []int {
	c := slices.Index(classes, t.Class)
	out := make([]int, len(prob)/2)
	for i := range out {
		if out[i] = 1 - c; prob[2*i+c] >= t.At {
			out[i] = c
		}
	}
	return out
}

// decide puts the threshold's classes into a prediction that has probabilities.
func (t *Threshold) decide(p *Prediction, classes []string) {
	rows := 0
	if p.Proba != nil {
		rows, _ = p.Proba.Dims()
	}
	prob := make([]float64, 0, 2*rows)
	for i := range rows {
		prob = append(prob, mat.Row(nil, i, p.Proba)...)
	}
	p.Codes = t.Decide(prob, classes)
}

// String says it in words.
func (t *Threshold) String() string {
	out := fmt.Sprintf("%q is named from a probability of %.4g on", t.Class, t.At)
	if t.Why != "" {
		out += " (" + t.Why + ")"
	}
	return out
}
