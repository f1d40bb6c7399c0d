package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// solveDevice is solve with the covariance matrix made and factorised on a device, where its factor
// stays. It is nil where the device cannot: none, a kernel without a formula, a noise or weight of
// its own for each point, no memory, a matrix that wants jitter, a device that was lost.
func (p *gpProblem) solveDevice(ctx context.Context, k kernel.Kernel[any], noise float64) *gpState {
	vec, vectors := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	points, also := data.VectorsOf(p.x)
	if p.Device == nil || !vectors || !also || p.own != nil || p.weights != nil || ctx.Err() != nil {
		return nil
	}
	f, err := gram.NewCenterFactor(p.Device, vec, points, noise)
	if err != nil {
		return nil
	}
	s := &gpState{kernel: k, noise: noise, mean: p.mean, on: f}
	err = p.evidence(s, f.LogDet(), func(b []float64) error {
		column := mat.NewDense(len(b), 1, b)
		if err := f.SolveTo(column, false); err != nil {
			return err
		}
		return f.SolveTo(column, true)
	})
	if err != nil {
		s.leave()
		return nil
	}
	return s
}

// evaluate is the log marginal likelihood at hyper-parameters and its derivatives by the parameters
// of the kernel that are wanted (nil: all), then by the noise; and what had to be added to the
// diagonal.
func (p *gpProblem) evaluate(
	ctx context.Context, k kernel.Kernel[any], noise float64, grad []float64, wanted []bool,
) (value, jitter float64, err error) {
	if value, ok := p.evaluateDevice(ctx, k, noise, grad, wanted); ok {
		return value, 0, nil
	}
	s, err := p.solve(ctx, k, noise)
	if err != nil {
		return 0, 0, err
	}
	defer s.leave()
	return s.value, s.jitter, p.gradient(ctx, s, grad, wanted)
}

// evaluateDevice is evaluate with all n³ and n² of it on a device. It is not ok where the device
// cannot: none, a kernel without a formula or a parameter that is not in it (ν), no memory for two
// matrices, a matrix that wants jitter, a device that was lost.
func (p *gpProblem) evaluateDevice(
	ctx context.Context, k kernel.Kernel[any], noise float64, grad []float64, wanted []bool,
) (value float64, ok bool) {
	vec, vectors := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	points, also := data.VectorsOf(p.x)
	if p.Device == nil || !vectors || !also || ctx.Err() != nil {
		return 0, false
	}
	own := make([]float64, len(p.y))
	for i := range own {
		own[i] = p.noiseAt(i, noise)
	}
	f, err := gram.NewEvidenceFactor(p.Device, vec, points, own, wanted)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	s := &gpState{kernel: k, noise: noise, mean: p.mean}
	if p.evidence(s, f.LogDet(), func(b []float64) error { return f.SolveTo(mat.NewDense(len(b), 1, b)) }) != nil ||
		ctx.Err() != nil {
		return 0, false
	}
	each := append([]gpTarget{{s.alpha, s.mean}}, s.more...)
	alpha := mat.NewDense(len(p.y), len(each), nil)
	for t := range each {
		alpha.SetCol(t, each[t].alpha)
	}
	last, inverse := len(grad)-1, own
	if f.SlopesTo(grad[:last], inverse, alpha) != nil {
		return 0, false
	}
	_, slope := p.repeats(noise)
	grad[last] = float64(len(each)) * slope
	for i, v := range inverse { // Wᵢᵢ ∂Aᵢᵢ/∂σ²
		w := -float64(len(each)) * v
		for _, a := range alpha.RawRowView(i) {
			w += a * a
		}
		if p.weights != nil {
			w /= p.weights[i]
		}
		grad[last] += 0.5 * w
	}
	return s.value, true
}

// leave gives the memory of the device back.
func (s *gpState) leave() {
	if s.on != nil {
		s.on.Close()
		s.on = nil
	}
}

// inverse is A⁻¹. What a device cannot finish the processor begins anew.
func (p *gpProblem) inverse(ctx context.Context, s *gpState) (linalg.Matrix[float64], error) {
	if s.on != nil {
		w := linalg.New[float64](len(p.y), len(p.y))
		if s.on.InverseTo(linalg.Dense(w)) == nil {
			return w, nil
		}
		if err := p.home(ctx, s); err != nil {
			return w, err
		}
	}
	return s.chol.InverseContext(ctx, p.Threads)
}

// home brings the factor from a device into the work matrix, or makes it there where the device was
// lost.
func (p *gpProblem) home(ctx context.Context, s *gpState) error {
	if s.on == nil {
		return nil
	}
	defer s.leave()
	if work := p.square(); s.on.FactorTo(linalg.Dense(work)) == nil {
		s.chol = &linalg.Cholesky{L: work}
		return nil
	}
	device := p.Device
	p.Device = nil
	again, err := p.solve(ctx, s.kernel, s.noise)
	p.Device = device
	if err == nil {
		s.leave()
		*s = *again
	}
	return err
}
