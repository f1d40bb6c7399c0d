package gp

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: the array "factor" is the lower
// triangle of L, K + noise = L·Lᵀ; "half" is L⁻¹·1 where the mean was fitted.
func (m *Regressor[T]) Saved() learn.Saved[T] {
	s := m.saved()
	return learn.Saved[T]{Learner: s.Learner, Func: m.f, Report: s.Report, Numbers: s.Numbers, Arrays: s.Arrays}
}

func (m *posterior) saved() learn.Saved[any] {
	s := learn.Saved[any]{
		Learner: "gp", Report: m.report,
		Numbers: map[string]float64{"noise": m.s.noise, "jitter": m.s.jitter, "evidence": m.s.value, "ones": m.s.onesA1},
		Arrays:  map[string]*mat.Dense{"factor": lowerTriangle(m.s.chol.L)},
	}
	if m.half != nil {
		s.Arrays["half"] = mat.NewDense(1, len(m.half), m.half)
	}
	if m.unit != 1 { // one of several targets
		s.Learner, s.Arrays["units"] = "gp-multi", mat.NewDense(1, 1, []float64{m.unit})
	}
	return s
}

// lowerTriangle copies it, with zeros above.
func lowerTriangle(l linalg.Matrix[float64]) *mat.Dense {
	out := linalg.New[float64](l.Rows, l.Rows)
	for i := range l.Rows {
		copy(out.Row(i)[:i+1], l.Row(i)[:i+1])
	}
	return linalg.Dense(out)
}

// factor reads a Cholesky factor of order n.
func factor(s learn.Saved[any], name string, n int) (*linalg.Cholesky, error) {
	a, err := s.Array(name, n, n)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if !(a.At(i, i) > 0) {
			return nil, fmt.Errorf("array %q: entry (%d, %d) of the diagonal is %g", name, i, i, a.At(i, i))
		}
	}
	return &linalg.Cholesky{L: linalg.Of(a)}, nil
}

func restoreRegressor(s learn.Saved[any]) (learn.Model[any], error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	n := s.Func.Centers.Len()
	chol, err := factor(s, "factor", n)
	if err != nil {
		return nil, err
	}
	state := &gpState{kernel: s.Func.Kernel, chol: chol, noise: s.Numbers["noise"], jitter: s.Numbers["jitter"],
		value: s.Numbers["evidence"]}
	m := &posterior{
		f: s.Func, p: &gpProblem{x: s.Func.Centers, y: make([]float64, n)}, s: state, unit: 1, report: s.Report,
	}
	if s.Func.Bias != nil {
		state.mean = s.Func.Bias[0]
	}
	if s.Arrays["half"] != nil {
		a, err := s.Array("half", 1, n)
		if err != nil {
			return nil, err
		}
		if state.onesA1, err = s.Number("ones"); err != nil {
			return nil, err
		}
		m.half = a.RawRowView(0)
	}
	return &Regressor[any]{s.Func, m}, nil
}

// Saved returns the model as plain data: for two classes the array "factor" is
// the lower triangle of L, B = L·Lᵀ, and "root" is W½; for more "factor" is that
// of Σ E_c, "e0", "e1", … are the E_c and "draws" is what probabilities are averaged over
// (Rasmussen and Williams 2006, algorithms 3.2 and 3.4).
func (m *Classifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	s.Numbers, s.Arrays = m.saved()
	return s
}

func (m *latent) saved() (map[string]float64, map[string]*mat.Dense) {
	arrays := map[string]*mat.Dense{}
	switch l := m.posterior.(type) {
	case *binaryLaplace:
		arrays["factor"] = lowerTriangle(l.chol.L)
		arrays["root"] = mat.NewDense(1, len(l.root), l.root)
	case *softmaxLaplace:
		arrays["factor"] = lowerTriangle(l.sum.L)
		for c, e := range l.e {
			arrays[fmt.Sprint("e", c)] = linalg.Dense(e.Clone())
		}
		arrays["draws"] = linalg.Dense(m.draws)
	}
	return map[string]float64{"evidence": m.posterior.evidence()}, arrays
}

func restoreClassifier(s learn.Saved[any]) (learn.Model[any], error) {
	if err := s.CheckClasses(); err != nil {
		return nil, err
	}
	n := s.Func.Centers.Len()
	chol, err := factor(s, "factor", n)
	if err != nil {
		return nil, err
	}
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	m := &Classifier[any, int]{*base, &latent{f: base.Func()}}
	if s.Classes == 2 {
		root, err := s.Array("root", 1, n)
		if err != nil {
			return nil, err
		}
		m.posterior = &binaryLaplace{chol: chol, root: root.RawRowView(0), value: s.Numbers["evidence"]}
	} else {
		l := &softmaxLaplace{k: linalg.Matrix[float64]{Rows: n}, sum: chol, value: s.Numbers["evidence"]}
		for c := range s.Classes {
			e, err := s.Array(fmt.Sprint("e", c), n, n)
			if err != nil {
				return nil, err
			}
			l.e = append(l.e, linalg.Of(e))
		}
		if m.draws, err = drawsOf(s); err != nil {
			return nil, err
		}
		m.posterior = l
	}
	return m, nil
}

// drawsOf reads what probabilities are averaged over.
func drawsOf(s learn.Saved[any]) (linalg.Matrix[float64], error) {
	draws := s.Arrays["draws"]
	if draws == nil || draws.IsEmpty() {
		return linalg.Matrix[float64]{}, fmt.Errorf("array \"draws\" is missing")
	}
	rows, _ := draws.Dims()
	draws, err := s.Array("draws", rows, s.Classes)
	if err != nil {
		return linalg.Matrix[float64]{}, err
	}
	return linalg.Of(draws), nil
}
