package smooth

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

type plain = rkhs.Plain[[]float64]

// Plain returns the curve as plain data: the inputs as they stand divided by the bandwidth, in the
// order of the rows.
func (m *NadarayaWatsonModel) Plain() (rkhs.Plain[[]float64], error) {
	tree := m.sum.Tree
	z, t := linalg.New[float64](tree.N, tree.Dim), make([]float64, tree.N)
	var weights []float64
	if m.sum.Weight != nil {
		weights = make([]float64, tree.N)
	}
	for place, i := range tree.Index {
		tree.Point(z.Row(i), place)
		t[i] = m.targets[place]
		if weights != nil {
			weights[i] = m.sum.Weight[place]
		}
	}
	p := plain{
		Kind: savedkind.NadarayaWatson, Texts: map[string]string{"smoother": density.Smoother(m.sum.Kernel).String()},
		Numbers: map[string]float64{"product": 0, "target bandwidth": m.width, "parameters": m.freedom},
		Arrays: map[string]*mat.Dense{"scaled inputs": linalg.Dense(z), "targets": rkhs.ListArray(t),
			"widths": rkhs.ListArray(m.metric.Widths), "residuals": rkhs.ListArray(m.residuals)},
	}
	if m.sum.Product() {
		p.Numbers["product"] = 1
	}
	if weights != nil {
		p.Arrays["weights"] = rkhs.ListArray(weights)
	}
	return p, nil
}

// scaledInputs reads inputs that were divided by the bandwidth, and that.
func scaledInputs(p plain) (z linalg.Matrix[float64], metric smoothing.Metric, t []float64, err error) {
	x, err := p.Array("scaled inputs", -1, -1)
	if err != nil {
		return z, metric, nil, err
	}
	if z, err = apply.OwnPoints(data.RowsOf(linalg.Of(x))); err != nil {
		return z, metric, nil, err
	}
	widths, err := p.List("widths", z.Cols)
	if err != nil {
		return z, metric, nil, err
	}
	if metric, _, err = smoothing.GivenBandwidth(0, widths, nil, z.Cols); err != nil {
		return z, metric, nil, err
	}
	targets, err := p.List("targets", z.Rows)
	if err != nil {
		return z, metric, nil, err
	}
	t, err = apply.OwnTargets(targets, z.Rows)
	return z, metric, t, err
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *NadarayaWatsonModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreNadarayaWatson(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreNadarayaWatson makes a NadarayaWatsonModel of plain data.
func restoreNadarayaWatson(p rkhs.Plain[[]float64]) (*NadarayaWatsonModel, error) {
	z, metric, t, err := scaledInputs(p)
	if err != nil {
		return nil, err
	}
	s, err := density.ParseSmoother(p.Texts["smoother"])
	if err != nil {
		return nil, err
	}
	product, err := p.Whole("product", 0, 1)
	if err != nil {
		return nil, err
	}
	var weights []float64
	if p.Arrays["weights"] != nil {
		if weights, err = p.List("weights", z.Rows); err != nil {
			return nil, err
		}
		if _, err := apply.OwnWeights(weights, z.Rows); err != nil {
			return nil, err
		}
	}
	m := NadarayaWatson{Smoother: s, Product: product == 1}.scaled(z, t, weights, metric)
	if m.width, err = p.Number("target bandwidth"); err != nil {
		return nil, err
	}
	if !(m.width > 0) {
		return nil, fmt.Errorf("a target bandwidth of %g", m.width)
	}
	if m.freedom, err = p.Number("parameters"); err != nil {
		return nil, err
	}
	a := p.Arrays["residuals"] // NaN where a point was out of reach of all others
	if a == nil || a.IsEmpty() {
		return nil, fmt.Errorf("array %q is missing", "residuals")
	}
	if r, c := a.Dims(); r != 1 || c != z.Rows {
		return nil, fmt.Errorf("array %q is %d×%d for %d points", "residuals", r, c, z.Rows)
	}
	m.residuals = a.RawRowView(0)
	m.report = learn.Report{Learner: "nadaraya-watson", Converged: true}
	return m, nil
}

// Plain returns the joint mixture as plain data; everything else follows from it.
func (m *MixtureRegressionModel) Plain() (rkhs.Plain[[]float64], error) {
	p, err := m.joint.Plain()
	p.Kind = savedkind.MixtureRegression
	return p, err
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *MixtureRegressionModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreMixtureRegression(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreMixtureRegression makes a MixtureRegressionModel of plain data.
func restoreMixtureRegression(p rkhs.Plain[[]float64]) (*MixtureRegressionModel, error) {
	joint := new(density.MixtureModel)
	err := joint.Restore(p)
	if err != nil {
		return nil, err
	}
	if joint.Dim() < 2 {
		return nil, fmt.Errorf("a mixture in %d columns has no inputs", joint.Dim())
	}
	return conditioned(joint, 0)
}
