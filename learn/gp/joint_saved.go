package gp

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/coregion"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Saved returns the model as plain data: the arrays "values" and "vectors" are the eigenvalues and
// eigenvectors of K, "scale" and "turn" those of Σ^-½BΣ^-½, "noise" the variances σ², all in the
// units "units" of each output; "level" is Uᵀ1 where means were found, "outputs" is B.
func (m *JointRegressor) Saved() learn.Saved[any] {
	row := func(v []float64) *mat.Dense { return mat.NewDense(1, len(v), v) }
	b := mat.NewDense(len(m.units), len(m.units), nil)
	b.Copy(m.b)
	s := learn.Saved[any]{
		Learner: "gp-joint", Func: m.f, Report: m.report, Numbers: map[string]float64{"evidence": m.value},
		Arrays: map[string]*mat.Dense{
			"values": row(m.post.Values), "vectors": linalg.Dense(m.post.Vectors), "scale": row(m.post.Scale),
			"turn":  linalg.Dense(m.post.Turn),
			"noise": row(m.post.Noise), "units": row(m.units), "outputs": b,
		},
	}
	if m.post.Level != nil {
		s.Arrays["level"] = row(m.post.Level)
	}
	return s
}

// Saved returns one output as plain data: that of all, and which it is.
func (o *jointOutput) Saved() learn.Saved[any] {
	s := o.m.Saved()
	s.Learner, s.Func = "gp-joint-output", o.f
	s.Numbers["output"] = float64(o.t)
	return s
}

func restoreJoint(s learn.Saved[any]) (learn.Model[any], error) {
	m, err := restoreJointOf(s, s.Func.Outputs())
	if err != nil {
		return nil, err
	}
	return m, nil
}

func restoreJointOutput(s learn.Saved[any]) (learn.Model[any], error) {
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	noise := s.Arrays["noise"]
	if noise == nil || noise.IsEmpty() {
		return nil, fmt.Errorf("array \"noise\" is missing")
	}
	_, outputs := noise.Dims()
	m, err := restoreJointOf(s, outputs)
	if err != nil {
		return nil, err
	}
	t, err := s.Number("output")
	if err != nil {
		return nil, err
	}
	if t != math.Trunc(t) || t < 0 || t >= float64(outputs) {
		return nil, fmt.Errorf("output %g of %d", t, outputs)
	}
	return &jointOutput{m: m, t: int(t), f: s.Func}, nil
}

func restoreJointOf(s learn.Saved[any], outputs int) (*JointRegressor, error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	n, q := s.Func.Centers.Len(), outputs
	m := &JointRegressor{f: s.Func, value: s.Numbers["evidence"], b: mat.NewSymDense(q, nil), report: s.Report,
		post: &coregion.Posterior{}}
	var fault error
	array := func(name string, rows, cols int) *mat.Dense {
		a, err := s.Array(name, rows, cols)
		if err != nil {
			if fault == nil {
				fault = err
			}
			a = mat.NewDense(rows, cols, nil)
		}
		return a
	}
	m.post.Values, m.post.Vectors = array("values", 1, n).RawRowView(0), linalg.Of(array("vectors", n, n))
	m.post.Scale, m.post.Turn = array("scale", 1, q).RawRowView(0), linalg.Of(array("turn", q, q))
	m.post.Noise, m.units = array("noise", 1, q).RawRowView(0), array("units", 1, q).RawRowView(0)
	if s.Arrays["level"] != nil {
		m.post.Level = array("level", 1, n).RawRowView(0)
	}
	b := array("outputs", q, q)
	if fault != nil {
		return nil, fault
	}
	for t := range q {
		if !(m.units[t] > 0) || !(m.post.Noise[t] > 0) {
			return nil, fmt.Errorf("unit %g and noise %g of output %d", m.units[t], m.post.Noise[t], t)
		}
		for u := range t + 1 {
			m.b.SetSym(t, u, b.At(t, u))
		}
	}
	for _, l := range m.post.Values {
		for _, c := range m.post.Scale {
			if !(1+l*c > 0) {
				return nil, fmt.Errorf("eigenvalue %g with %g of the outputs", l, c)
			}
		}
	}
	m.post.Ready()
	return m, nil
}
