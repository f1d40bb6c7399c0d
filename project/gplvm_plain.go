package project

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Plain returns the latent points as plain data: the function is x ↦ k(x, X)K⁻¹Y, an output for
// each column, and the points Y stand beside it. The factor of K is made anew from them.
func (m *GPLVMModel) Plain() (rkhs.Plain[kernel.Vec], error) {
	return rkhs.Plain[kernel.Vec]{
		Kind:    savedkind.GPLVM,
		Funcs:   []*rkhs.Func[kernel.Vec]{{Kernel: m.kernel, Centers: m.points(), Coef: linalg.Dense(m.a)}},
		Numbers: map[string]float64{"noise": m.noise, "scale": m.scale, "log-density": m.report.LogDensity},
		Arrays:  map[string]*mat.Dense{"points": linalg.Dense(m.y), "mean": rkhs.ListArray(m.mean)},
	}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *GPLVMModel) Restore(p rkhs.Plain[kernel.Vec]) error {
	told, err := restoreGPLVM(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreGPLVM makes a GPLVMModel of plain data.
func restoreGPLVM(p rkhs.Plain[kernel.Vec]) (*GPLVMModel, error) {
	mean, err := p.List("mean", -1)
	if err != nil {
		return nil, err
	}
	f, err := p.Function(0, 1, len(mean))
	if err != nil {
		return nil, err
	}
	n := f.Centers.Len()
	y, err := p.Array("points", n, len(mean))
	if err != nil {
		return nil, err
	}
	m := &GPLVMModel{kernel: f.Kernel, y: linalg.Of(y), a: linalg.Of(f.Coef), mean: mean,
		report: GPLVMReport{Converged: true}}
	for name, v := range map[string]*float64{"noise": &m.noise, "scale": &m.scale, "log-density": &m.report.LogDensity} {
		if *v, err = p.Number(name); err != nil {
			return nil, err
		}
	}
	if !(m.noise >= leastNoise) || !(m.scale > 0) || math.IsInf(m.noise, 0) || math.IsInf(m.scale, 0) {
		return nil, fmt.Errorf("noise %g and scale %g: both are positive", m.noise, m.scale)
	}
	m.latent = linalg.New[float64](n, len(f.Centers.At(0)))
	for i := range n {
		copy(m.latent.Row(i), f.Centers.At(i))
	}
	probe := make(kernel.Vec, m.latent.Cols)
	if err := kernel.InputGrad(m.kernel, make(kernel.Vec, len(probe)), probe, probe); err != nil {
		return nil, err
	}
	if m.chol, err = latentFactor(context.Background(), 0, m.kernel, data.Rows(linalg.Dense(m.latent)),
		m.noise); err != nil {
		return nil, fmt.Errorf("the matrix of the latent points: %w", err)
	}
	return m, nil
}
