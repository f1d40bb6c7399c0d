package project

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Plain returns the components as plain data. Of how they were found only what was doubtful stays.
func (m *PCAModel[T]) Plain() (rkhs.Plain[T], error) {
	p := rkhs.Plain[T]{
		Kind: savedkind.PCA, Funcs: []*rkhs.Func[T]{m.all},
		Numbers: map[string]float64{"total variance": m.total, "mean norm": m.meanNorm, "solver": float64(m.report.Solver)},
		Arrays:  map[string]*mat.Dense{"variance": rkhs.ListArray(m.variance), "scores": linalg.Dense(m.scores)},
	}
	return p, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *PCAModel[T]) Restore(p rkhs.Plain[T]) error {
	told, err := restorePCA(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restorePCA makes a PCAModel of plain data.
func restorePCA[T any](p rkhs.Plain[T]) (*PCAModel[T], error) {
	variance, err := p.List("variance", -1)
	if err != nil {
		return nil, err
	}
	all, err := p.Function(0, 1, len(variance)+1)
	if err != nil {
		return nil, err
	}
	m := newPCAModel(all, &components{variance: variance})
	scores, err := p.Array("scores", -1, len(variance))
	if err != nil {
		return nil, err
	}
	m.scores = linalg.Of(scores)
	if m.total, err = p.Number("total variance"); err != nil {
		return nil, err
	}
	if m.meanNorm, err = p.Number("mean norm"); err != nil {
		return nil, err
	}
	solver, err := p.Whole("solver", int(SolveAuto), int(SolveLowRank))
	if err != nil {
		return nil, err
	}
	m.report.Solver = Solver(solver)
	for i, v := range variance {
		if !(v > 0) || i > 0 && v > variance[i-1] {
			return nil, fmt.Errorf("variance %d is %g: they are positive, the largest first", i, v)
		}
	}
	if !(m.total > 0) {
		return nil, fmt.Errorf("a total variance of %g", m.total)
	}
	return m, nil
}

// Plain returns the functions of all views as plain data. Their points have forgotten their type.
func (m *CCAModel) Plain() (rkhs.Plain[any], error) {
	p := rkhs.Plain[any]{Kind: savedkind.CCA, Funcs: slices.Clone(m.funcs), Arrays: map[string]*mat.Dense{
		"correlations": rkhs.ListArray(m.values), "kappa": rkhs.ListArray(m.report.Kappa),
	}}
	for i := range m.funcs {
		p.Arrays[fmt.Sprintf("scores %d", i)] = linalg.Dense(m.scores[i])
	}
	return p, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *CCAModel) Restore(p rkhs.Plain[any]) error {
	told, err := restoreCCA(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreCCA makes a CCAModel of plain data.
func restoreCCA(p rkhs.Plain[any]) (*CCAModel, error) {
	values, err := p.List("correlations", -1)
	if err != nil {
		return nil, err
	}
	n := len(p.Funcs)
	if n < 2 {
		return nil, fmt.Errorf("%d views, want at least 2", n)
	}
	m := &CCAModel{values: values}
	if m.report.Kappa, err = p.List("kappa", n); err != nil {
		return nil, err
	}
	for _, v := range m.report.Kappa {
		if !(v > 0) {
			return nil, fmt.Errorf("κ is %g", v)
		}
	}
	rows := -1
	for i := range n {
		f, err := p.Function(i, n, len(values))
		if err != nil {
			return nil, fmt.Errorf("view %d: %w", i, err)
		}
		scores, err := p.Array(fmt.Sprintf("scores %d", i), rows, len(values))
		if err != nil {
			return nil, err
		}
		rows, _ = scores.Dims()
		m.funcs, m.scores = append(m.funcs, f), append(m.scores, linalg.Of(scores))
	}
	for i, v := range values {
		if math.Abs(v) > float64(n-1)+1e-6 {
			return nil, fmt.Errorf("correlation %d is %g, of %d views", i, v, n)
		}
	}
	return m, nil
}
