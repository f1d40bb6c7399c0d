package learn

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// familyOf is the name of a learner in a file, from that in its report:
// "norma (hinge)" is "norma", "rbf network" is "rbf-network".
func familyOf(report string) string {
	name, _, _ := strings.Cut(report, " (")
	return strings.ReplaceAll(name, " ", "-")
}

// supportArray is the support as an array; none where there is none.
func supportArray(support []int) map[string]*mat.Dense {
	if len(support) == 0 {
		return nil
	}
	return map[string]*mat.Dense{"support": indexArray(support)}
}

func indexArray(index []int) *mat.Dense {
	a := mat.NewDense(1, len(index), nil)
	for i, v := range index {
		a.Set(0, i, float64(v))
	}
	return a
}

// indices reads n increasing whole numbers from 0 to below limit.
func (s Saved[T]) indices(name string, n int, limit float64) ([]int, error) {
	a, err := s.array(name, 1, n)
	if err != nil {
		return nil, err
	}
	out := make([]int, n)
	for i, v := range a.RawRowView(0) {
		if v != math.Trunc(v) || !(v >= 0 && v < limit) || i > 0 && int(v) <= out[i-1] {
			return nil, fmt.Errorf("array %q: entry %d is %g, which is no increasing index", name, i, v)
		}
		out[i] = int(v)
	}
	return out, nil
}

// mostRows bounds the number of a training point in a file.
const mostRows = 1 << 53

// supportOf reads which training points the centres are, where the file says so.
func (s Saved[T]) supportOf() ([]int, error) {
	if s.Arrays["support"] == nil {
		return nil, nil
	}
	return s.indices("support", s.Func.Centers.Len(), mostRows)
}

// Saved returns the model as plain data; the array "support" is the numbers of the
// training points it kept.
func (m *ExpansionRegressor[T]) Saved() Saved[T] {
	return Saved[T]{Learner: familyOf(m.report.Learner), Func: m.f, Report: m.report, Arrays: supportArray(m.support)}
}

func (s Saved[T]) expansionRegressor() (*ExpansionRegressor[T], error) {
	if err := s.noClasses(); err != nil {
		return nil, err
	}
	if err := s.outputs(1); err != nil {
		return nil, err
	}
	support, err := s.supportOf()
	return &ExpansionRegressor[T]{f: s.Func, support: support, report: s.Report}, err
}

func restoreExpansion[T any](s Saved[T]) (Predictor[T], error) {
	m, err := s.expansionRegressor()
	if err != nil {
		return nil, err
	}
	return valuePredictor[T]{m, s}, nil
}

// Saved returns the model as plain data; the array "support" is the numbers of the
// training points it kept.
func (m *ExpansionClassifier[T, L]) Saved() Saved[T] {
	return Saved[T]{Learner: familyOf(m.report.Learner), Func: m.f, Classes: len(m.classes), Report: m.report, Arrays: supportArray(m.support)}
}

func (s Saved[T]) expansionClassifier() (ExpansionClassifier[T, int], error) {
	if err := s.oneForEach(); err != nil {
		return ExpansionClassifier[T, int]{}, err
	}
	support, err := s.supportOf()
	return ExpansionClassifier[T, int]{f: s.Func, classes: codes(s.Classes), support: support, report: s.Report}, err
}

func restoreExpansionClassifier[T any](s Saved[T]) (Predictor[T], error) {
	m, err := s.expansionClassifier()
	if err != nil {
		return nil, err
	}
	return withSlope(classPredictor[T]{&m, s})
}

// restoreLogOdds restores a classifier whose decision values are log odds.
func restoreLogOdds[T any](s Saved[T]) (Predictor[T], error) {
	m, err := s.expansionClassifier()
	if err != nil {
		return nil, err
	}
	odds := &VectorMachineModel[T, int]{m}
	return probaPredictor[T]{classPredictor[T]{odds, s}, odds.Proba}, nil
}

// Saved returns the model as plain data; the number "log odds" is 1 where it has
// probabilities.
func (m *NormaClassifierModel[T, L]) Saved() Saved[T] {
	s := m.VectorMachineModel.Saved()
	s.Numbers = map[string]float64{"log odds": 0}
	if m.logOdds {
		s.Numbers["log odds"] = 1
	}
	return s
}

func restoreNormaClassifier[T any](s Saved[T]) (Predictor[T], error) {
	if s.Numbers["log odds"] != 0 {
		return restoreLogOdds(s)
	}
	return restoreExpansionClassifier(s)
}
