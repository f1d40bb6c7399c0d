package svm

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: the coefficients of all machines and,
// where there are probabilities, the array "platt" with a row (A, B) for each
// machine.
func (m *Classifier[T, L]) Saved() learn.Saved[T] {
	s := learn.Saved[T]{
		Learner: "svc", Func: m.f, Classes: len(m.classes), Report: m.report,
		Numbers: map[string]float64{"one-vs-rest": 0},
	}
	if m.rule == learn.OneVsRest {
		s.Numbers["one-vs-rest"] = 1
	}
	if m.sigmoids != nil {
		a := mat.NewDense(len(m.sigmoids), 2, nil)
		for i, v := range m.sigmoids {
			a.SetRow(i, []float64{v.A, v.B})
		}
		s.Arrays = map[string]*mat.Dense{"platt": a}
	}
	if m.order != nil {
		if s.Arrays == nil {
			s.Arrays = map[string]*mat.Dense{}
		}
		s.Arrays["order"] = learn.IndexArray(m.order)
	}
	return s
}

func restoreClassifier[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckCount(); err != nil {
		return nil, err
	}
	m := &Classifier[T, int]{f: s.Func, classes: s.Codes(), classMachines: classMachines{report: s.Report}}
	want := s.Classes * (s.Classes - 1) / 2
	if s.Numbers["one-vs-rest"] != 0 {
		m.rule = learn.OneVsRest
		if s.Classes > 2 {
			want = s.Classes
		}
	}
	if err := s.CheckOutputs(want); err != nil {
		return nil, err
	}
	m.each = make([]*machine, want)
	for i := range m.each {
		m.each[i] = &machine{}
	}
	if s.Arrays["platt"] != nil {
		a, err := s.Array("platt", want, 2)
		if err != nil {
			return nil, err
		}
		for i := range want {
			m.sigmoids = append(m.sigmoids, learn.Sigmoid{A: a.At(i, 0), B: a.At(i, 1)})
		}
	}
	if s.Arrays["order"] != nil {
		a, err := s.Array("order", 1, s.Classes)
		if err != nil {
			return nil, err
		}
		seen := make([]bool, s.Classes)
		for _, v := range a.RawRowView(0) {
			c := int(v)
			if float64(c) != v || c < 0 || c >= s.Classes || seen[c] {
				return nil, fmt.Errorf("array \"order\" is no order of %d classes", s.Classes)
			}
			seen[c] = true
			m.order = append(m.order, c)
		}
	}
	return m, nil
}

// voteInOrder votes as LIBSVM does when it had the classes in this order: the first class of most
// votes in its order, a decision of 0 being a vote for the later one.
func voteInOrder(decision []float64, order, votes []int) int {
	clear(votes)
	for a, first := range order {
		for _, second := range order[a+1:] {
			if pairDecision(decision, len(order), first, second) > 0 {
				votes[first]++
			} else {
				votes[second]++
			}
		}
	}
	best := order[0]
	for _, c := range order[1:] {
		if votes[c] > votes[best] {
			best = c
		}
	}
	return best
}

// pairDecision is the decision value of a pair of classes, positive for the
// first, from a row in the order of Labels.Tasks.
func pairDecision(row []float64, k, first, second int) float64 {
	if k == 2 { // positive for class 1
		if first == 1 {
			return row[0]
		}
		return -row[0]
	}
	a, b := min(first, second), max(first, second)
	v := row[a*(2*k-a-1)/2+b-a-1]
	if first > second {
		return -v
	}
	return v
}

// Saved returns the model as plain data.
func (m *Detector[T]) Saved() learn.Saved[T] {
	return learn.Saved[T]{Learner: "one-class", Func: m.f, Classes: 2, Report: m.report}
}

// detectorCodes is a restored Detector as a classifier on codes: 1 is inside, 0 outside.
type detectorCodes[T any] struct{ *Detector[T] }

func (detectorCodes[T]) Classes() []int { return []int{0, 1} }

func (p detectorCodes[T]) Predict(ctx context.Context, x data.Points[T]) ([]int, error) {
	return apply.Slice(x, func(dst []int) error { return p.PredictTo(ctx, dst, x) })
}

func (p detectorCodes[T]) PredictTo(ctx context.Context, dst []int, x data.Points[T]) error {
	return learn.PredictFrom(ctx, p, dst, x, learn.DecideOneVsRest)
}

func restoreOneClass[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if s.Classes != 2 {
		return nil, fmt.Errorf("%d classes, want 2 (outside, inside)", s.Classes)
	}
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	return detectorCodes[T]{&Detector[T]{s.Func, detection{report: s.Report}}}, nil
}

// Saved returns the model as plain data; the number "epsilon" is the half width of the tube.
func (m *Regressor[T]) Saved() learn.Saved[T] {
	s := m.ExpansionRegressor.Saved()
	s.Learner, s.Numbers, s.Arrays = "svr", map[string]float64{"epsilon": m.machine.width}, nil
	return s
}

func restoreRegressor[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	return &Regressor[T]{*m, &machine{width: s.Numbers["epsilon"]}}, nil
}
