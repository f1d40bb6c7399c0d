package forest

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
)

func (m *model) saved(classes int) learn.Saved[kernel.Vec] {
	return learn.Saved[kernel.Vec]{Learner: m.name, Func: m.f, Classes: classes, Arrays: m.forest.Arrays(),
		Report: m.report}
}

// restoreModel brings the forest back, with so many numbers in a leaf.
func restoreModel(name string, s learn.Saved[kernel.Vec], outputs int) (*model, error) {
	if err := s.CheckOutputs(outputs); err != nil {
		return nil, err
	}
	f, err := forest.FromArrays(s.Arrays)
	if err != nil {
		return nil, fault.Plain(err)
	}
	if f.Name() != "forest" || f.Outputs() != outputs {
		return nil, fmt.Errorf("a %s with %d numbers in a leaf, want a forest with %d", f.Name(), f.Outputs(), outputs)
	}
	if s.Func.Centers.Len() != 1 || s.Func.Bias == nil || len(s.Func.Centers.At(0)) != f.Dim() {
		return nil, fmt.Errorf("a forest of %d columns without its constant", f.Dim())
	}
	return newModel(name, f, s.Func.Bias, nil, s.Report), nil
}

func restoreRegressor(s learn.Saved[kernel.Vec]) (learn.Model[kernel.Vec], error) {
	return restoreValues("forest", s)
}

func restoreBoosting(s learn.Saved[kernel.Vec]) (learn.Model[kernel.Vec], error) {
	return restoreValues("boosting", s)
}

func restoreValues(name string, s learn.Saved[kernel.Vec]) (learn.Model[kernel.Vec], error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	m, err := restoreModel(name, s, 1)
	if err != nil {
		return nil, err
	}
	return &Regressor{*m}, nil
}

func restoreClassifier(s learn.Saved[kernel.Vec]) (learn.Model[kernel.Vec], error) {
	if err := s.CheckCount(); err != nil {
		return nil, err
	}
	m, err := restoreModel("forest-classifier", s, s.Classes)
	if err != nil {
		return nil, err
	}
	values := s.Arrays["values"]
	for i := range m.forest.Leaves() {
		total := 0.0
		for _, v := range values.RawRowView(i) {
			if total += v; v < 0 {
				return nil, fmt.Errorf("leaf %d has the share %g of a class", i, v)
			}
		}
		if math.Abs(total-1) > 1e-6 {
			return nil, fmt.Errorf("the shares of leaf %d add up to %g", i, total)
		}
	}
	return &Classifier[int]{*m, s.Codes()}, nil
}

func restoreBoostingClassifier(s learn.Saved[kernel.Vec]) (learn.Model[kernel.Vec], error) {
	if err := s.CheckCount(); err != nil {
		return nil, err
	}
	m, err := restoreModel("boosting-classifier", s, sums(s.Classes))
	if err != nil {
		return nil, err
	}
	return &Classifier[int]{*m, s.Codes()}, nil
}
