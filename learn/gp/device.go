package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// solveDevice is solve with the covariance matrix made and factorised on a device, where its factor stays. It is nil where the device cannot: none, a kernel without a
// formula, a noise or weight of its own for each point, no memory, a matrix that wants jitter, a device that was lost.
func (p *gpProblem[T]) solveDevice(ctx context.Context, k kernel.Kernel[T], noise float64) *gpState[T] {
	vec, vectors := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	points, also := data.VectorsOf(p.x)
	if p.Device == nil || !vectors || !also || p.own != nil || p.weights != nil || ctx.Err() != nil {
		return nil
	}
	f, err := gram.NewCenterFactor(p.Device, vec, points, noise)
	if err != nil {
		return nil
	}
	s := &gpState[T]{kernel: k, noise: noise, mean: p.mean, on: f}
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

// leave gives the memory of the device back.
func (s *gpState[T]) leave() {
	if s.on != nil {
		s.on.Close()
		s.on = nil
	}
}

// inverse is A⁻¹. What a device cannot finish the processor begins anew.
func (p *gpProblem[T]) inverse(ctx context.Context, s *gpState[T]) (linalg.Matrix[float64], error) {
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

// home brings the factor from a device into the work matrix, or makes it there where the device was lost.
func (p *gpProblem[T]) home(ctx context.Context, s *gpState[T]) error {
	if s.on == nil {
		return nil
	}
	defer s.leave()
	if s.on.FactorTo(linalg.Dense(p.work)) == nil {
		s.chol = &linalg.Cholesky{L: p.work}
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
