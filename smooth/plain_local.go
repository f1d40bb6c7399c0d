package smooth

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Plain returns the curve as plain data: the inputs as they stand divided by the bandwidth.
func (m *LocalRegressionModel) Plain() (rkhs.Plain[[]float64], error) {
	return plain{
		Kind: savedkind.LocalRegression, Texts: map[string]string{"smoother": m.config.Smoother.String()},
		Numbers: map[string]float64{"degree": float64(m.config.Degree), "nearest": float64(m.nearest), "sigma": m.sigma,
			"parameters": m.freedom, "freedom": m.inverse},
		Arrays: map[string]*mat.Dense{"scaled inputs": linalg.Dense(m.z), "widths": rkhs.ListArray(m.metric.Widths),
			"targets": rkhs.ListArray(m.t),
			"weights": rkhs.ListArray(m.omega), "fitted": rkhs.ListArray(m.fitted)},
	}, nil
}

// mostMonomials bounds the terms of a polynomial that a file can ask for.
const mostMonomials = 1 << 16

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *LocalRegressionModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreLocalRegression(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreLocalRegression makes a LocalRegressionModel of plain data.
func restoreLocalRegression(p rkhs.Plain[[]float64]) (*LocalRegressionModel, error) {
	m := &LocalRegressionModel{report: learn.Report{Learner: "local regression", Converged: true}}
	var err error
	if m.z, m.metric, m.t, err = scaledInputs(p); err != nil {
		return nil, err
	}
	if m.config.Smoother, err = density.ParseSmoother(p.Texts["smoother"]); err != nil {
		return nil, err
	}
	if m.config.Degree, err = p.Whole("degree", 0, 4); err != nil {
		return nil, err
	}
	terms := 1.0 // (d + degree choose degree)
	for i := 1; i <= m.config.Degree; i++ {
		terms *= float64(m.z.Cols+i) / float64(i)
	}
	if terms > mostMonomials {
		return nil, fmt.Errorf("polynomials of degree %d in %d inputs", m.config.Degree, m.z.Cols)
	}
	m.powers = monomials(m.z.Cols, m.config.Degree)
	if m.nearest, err = p.Whole("nearest", 0, m.z.Rows); err != nil {
		return nil, err
	}
	if m.omega, err = p.List("weights", m.z.Rows); err != nil {
		return nil, err
	}
	for i, w := range m.omega {
		if w < 0 {
			return nil, fmt.Errorf("weight %d is %g", i, w)
		}
	}
	for name, to := range map[string]*float64{"sigma": &m.sigma, "parameters": &m.freedom, "freedom": &m.inverse} {
		if *to, err = p.Number(name); err != nil {
			return nil, err
		}
	}
	if m.sigma < 0 || !(m.inverse > 0) {
		return nil, fmt.Errorf("a residual error of %g with %g degrees of freedom", m.sigma, m.inverse)
	}
	a := p.Arrays["fitted"] // NaN where no point was in reach
	if a == nil || a.IsEmpty() {
		return nil, fmt.Errorf("array %q is missing", "fitted")
	}
	if r, c := a.Dims(); r != 1 || c != m.z.Rows {
		return nil, fmt.Errorf("array %q is %d×%d for %d points", "fitted", r, c, m.z.Rows)
	}
	m.fitted = a.RawRowView(0)
	for i, v := range m.fitted {
		if math.IsInf(v, 0) {
			return nil, fmt.Errorf("fitted value %d is %g", i, v)
		}
	}
	return m, nil
}
