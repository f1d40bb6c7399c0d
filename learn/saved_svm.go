package learn

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: the coefficients of all machines and,
// where there are probabilities, the array "platt" with a row (A, B) for each
// machine.
func (m *SVCModel[T, L]) Saved() Saved[T] {
	s := Saved[T]{
		Learner: "svc", Func: m.f, Classes: len(m.classes), Report: m.report,
		Numbers: map[string]float64{"one-vs-rest": 0},
	}
	if m.rule == OneVsRest {
		s.Numbers["one-vs-rest"] = 1
	}
	if m.sigmoids != nil {
		a := mat.NewDense(len(m.sigmoids), 2, nil)
		for i, v := range m.sigmoids {
			a.SetRow(i, []float64{v.A, v.B})
		}
		s.Arrays = map[string]*mat.Dense{"platt": a}
	}
	return s
}

// svcPredictor is a restored SVC on class codes. order, where set, is the
// order in which LIBSVM had the classes, which decides its ties.
type svcPredictor[T any] struct {
	m     *SVCModel[T, int]
	order []int
	saved Saved[T]
}

func restoreSVC[T any](s Saved[T]) (Predictor[T], error) {
	if s.Classes < 2 || s.Classes > 1<<20 {
		return nil, fmt.Errorf("%d classes", s.Classes)
	}
	m := &SVCModel[T, int]{f: s.Func, classes: codes(s.Classes), report: s.Report}
	want := s.Classes * (s.Classes - 1) / 2
	if s.Numbers["one-vs-rest"] != 0 {
		m.rule = OneVsRest
		if s.Classes > 2 {
			want = s.Classes
		}
	}
	if err := s.outputs(want); err != nil {
		return nil, err
	}
	m.machines = make([]*machine, want)
	for i := range m.machines {
		m.machines[i] = &machine{}
	}
	if s.Arrays["platt"] != nil {
		a, err := s.array("platt", want, 2)
		if err != nil {
			return nil, err
		}
		for i := range want {
			m.sigmoids = append(m.sigmoids, Sigmoid{a.At(i, 0), a.At(i, 1)})
		}
	}
	p := &svcPredictor[T]{m: m, saved: s}
	if s.Arrays["order"] != nil {
		a, err := s.array("order", 1, s.Classes)
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
			p.order = append(p.order, c)
		}
	}
	return p, nil
}

func (p *svcPredictor[T]) Func() *rkhs.Func[T] { return p.m.f }
func (p *svcPredictor[T]) Report() Report      { return p.m.report }
func (p *svcPredictor[T]) Saved() Saved[T]     { return p.saved }

func (p *svcPredictor[T]) Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return p.m.Decision(dst, x)
}

func (p *svcPredictor[T]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return p.m.Proba(dst, x)
}

// HasProba says whether the sigmoids are there.
func (p *svcPredictor[T]) HasProba() bool { return p.m.sigmoids != nil }

// Codes votes as the model does; with an order of LIBSVM's, as LIBSVM does:
// the first class of most votes in its order, a decision of 0 being a vote for the later one.
func (p *svcPredictor[T]) Codes(dst []int, x data.Points[T]) []int {
	if p.order == nil || p.m.sigmoids != nil || p.m.rule == OneVsRest || x.Len() == 0 {
		return p.m.Predict(dst, x)
	}
	k := len(p.order)
	if len(dst) < x.Len() {
		dst = make([]int, x.Len())
	}
	dst = dst[:x.Len()]
	decision := p.m.Decision(nil, x)
	votes := make([]int, k)
	for i := range dst {
		row := decision.RawRowView(i)
		clear(votes)
		for a, first := range p.order {
			for _, second := range p.order[a+1:] {
				if pairDecision(row, k, first, second) > 0 {
					votes[first]++
				} else {
					votes[second]++
				}
			}
		}
		dst[i] = p.order[0]
		for _, c := range p.order[1:] {
			if votes[c] > votes[dst[i]] {
				dst[i] = c
			}
		}
	}
	return dst
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
func (m *OneClassModel[T]) Saved() Saved[T] {
	return Saved[T]{Learner: "one-class", Func: m.f, Classes: 2, Report: m.report}
}

// oneClassPredictor is a restored OneClass; code 1 is inside, 0 outside.
type oneClassPredictor[T any] struct {
	*OneClassModel[T]
	saved Saved[T]
}

func restoreOneClass[T any](s Saved[T]) (Predictor[T], error) {
	if s.Classes != 2 {
		return nil, fmt.Errorf("%d classes, want 2 (outside, inside)", s.Classes)
	}
	if err := s.outputs(1); err != nil {
		return nil, err
	}
	return oneClassPredictor[T]{&OneClassModel[T]{f: s.Func, report: s.Report}, s}, nil
}

func (p oneClassPredictor[T]) Saved() Saved[T] { return p.saved }

func (p oneClassPredictor[T]) Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return scores(p.f, dst, x)
}

func (p oneClassPredictor[T]) Codes(dst []int, x data.Points[T]) []int {
	if len(dst) < x.Len() {
		dst = make([]int, x.Len())
	}
	dst = dst[:x.Len()]
	for i, in := range p.Inside(nil, x) {
		dst[i] = 0
		if in {
			dst[i] = 1
		}
	}
	return dst
}
