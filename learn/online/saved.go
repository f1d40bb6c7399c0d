package online

import (
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data, with all that it needs to go on learning.
func (m *Regressor[T]) Saved() learn.Saved[T] {
	s := m.ExpansionRegressor.Saved()
	s.Numbers = map[string]float64{}
	m.going.save(&s)
	return s
}

func restoreNorma[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	base, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	m := &Regressor[T]{ExpansionRegressor: *base}
	m.going, err = restoreGoing(s, 1)
	return m, err
}

// Saved returns the model as plain data, with all that it needs to go on learning; the number "log
// odds" is 1 where it has probabilities.
func (m *NormaClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.LogOddsClassifier.Saved()
	s.Numbers = map[string]float64{"log odds": 0}
	if m.logOdds {
		s.Numbers["log odds"] = 1
	}
	m.going.save(&s)
	return s
}

func restoreNormaClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	m := &NormaClassifier[T, int]{LogOddsClassifier: learn.LogOddsClassifier[T, int]{ExpansionClassifier: *base},
		logOdds: s.Numbers["log odds"] != 0}
	if m.going, err = restoreGoing(s, base.Decisions()); err != nil {
		return nil, err
	}
	if m.logOdds {
		return m, nil
	}
	return learn.RestoreSlope(s, m)
}

// save adds the configuration to the numbers and the state to the arrays: "machines" has a row for
// each output, with its bias, margin, losses, examples and dropped terms; "born" the example that
// each centre came with, 0 where it is no term of the output.
func (g *going[T]) save(s *learn.Saved[T]) {
	if g == nil {
		return
	}
	for i, v := range g.numbers() {
		s.Numbers[goingNames[i]] = v
	}
	if s.Arrays == nil {
		s.Arrays = map[string]*mat.Dense{}
	}
	outputs, centres := len(g.machines), s.Func.Centers.Len()
	machines, born := mat.NewDense(outputs, 5, nil), mat.NewDense(outputs, centres, nil)
	for o, m := range g.machines {
		machines.SetRow(o, []float64{m.bias, m.rho, m.loss, float64(m.step), float64(m.broken)})
		for j, at := range m.born {
			born.Set(o, j, float64(at))
		}
	}
	s.Arrays["machines"], s.Arrays["born"] = machines, born
}
