package model

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// mappedFormat is that of models whose target was mapped: an older mercer would give logarithms for
// numbers.
const mappedFormat = 5

// checkMap refuses a map of what has none.
func checkMap(info Info, b body) error {
	t := info.TargetMap
	if t == nil {
		return nil
	}
	if b.domain() == domainTransform || b.domain() == domainNodes || b.classes() > 0 || b.learner() == "one-class" ||
		b.targets() != 1 || info.TargetScale != nil {
		return fmt.Errorf("a map of targets (%s) of a model that does not predict one number", t.Kind)
	}
	return t.Check()
}

// noDeviations says why there are none.
func (m *Model) noDeviations() error {
	if t := m.info.TargetMap; t != nil && m.body.hasStd() {
		return fmt.Errorf("%w: they are of the %s of the target; ask for an interval, which is mapped back", ErrNoDeviations,
			mapName(t))
	}
	return fmt.Errorf("%w (it is of %s); a Gaussian process has", ErrNoDeviations, m.Learner())
}

// mapName is what a map makes of a target.
func mapName(t *data.TargetMap) string {
	if t.Kind == "log" {
		return "logarithm"
	}
	return "normal score"
}

// unfitMap refuses a format that has no place for the map.
func unfitMap(format string, t *data.TargetMap) error {
	return unfit(format, "its function is the %s of the target, which a file of this format has no way to map back",
		mapName(t))
}

// mapBack makes y of what was said of z. Standard deviations have no meaning then.
func (p *Prediction) mapBack(t *data.TargetMap) {
	for _, list := range [][]float64{p.Values, p.Low, p.High} {
		for i, v := range list {
			list[i] = t.Invert(v)
		}
	}
	if p.Scores != nil {
		p.Scores.Apply(func(_, _ int, v float64) float64 { return t.Invert(v) }, p.Scores)
	}
	p.Std, p.ObservationStd = nil, nil
}

// MapBack is predictions of mapped targets as predictions of the targets themselves, whose truth is
// given; they share no storage.
func MapBack(p learn.Predictions, t *data.TargetMap, truth []float64) learn.Predictions {
	value := make([]float64, len(p.Value))
	for i, v := range p.Value {
		value[i] = t.Invert(v)
	}
	var density []float64
	for i, v := range p.LogDensity {
		s := t.LogSlope(truth[i])
		if v += s; math.IsInf(s, -1) {
			v = s // whatever was said of it
		}
		density = append(density, v)
	}
	p.Value, p.LogDensity, p.Truth = value, density, truth
	return p
}

// mapped is targets as the model was fitted in them; a target that has no place there is an error
// with its row.
func (i *Info) mapped(y []float64) ([]float64, error) {
	if i.TargetMap.Kind == "log" {
		if _, err := data.FitTargetMap("log", y); err != nil {
			return nil, err
		}
	}
	return i.TargetMap.ApplyAll(y), nil
}

// back is what the model says in the units of its target.
func (i *Info) back(v float64) float64 {
	if i.TargetMap == nil {
		return v
	}
	return i.TargetMap.Invert(v)
}
