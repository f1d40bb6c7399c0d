package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// checkNoise refuses variances that cannot be, and a problem whose targets have no variance.
func (p Problem[T]) checkNoise() error {
	if p.Noise == nil {
		return nil
	}
	if p.Task != data.Regression {
		return fmt.Errorf("the noise of each row is a variance of numbers, and the task is %v; leave it out", p.Task)
	}
	if len(p.More) > 0 {
		return fmt.Errorf("the noise of each row has the unit of one target, and there are %d; fit a model for each",
			p.Targets())
	}
	for i, v := range p.Noise {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("noise variance of row %d is %g; give a finite number, 0 or more", i, v)
		}
	}
	return nil
}

// noisyDensity is log p(yᵢ) of observations whose own noise is known beside what the model has
// found: a normal density, as a model with standard deviations expects it. Nil where it has none.
func noisyDensity[T any](ctx context.Context, m Model[T], mean []float64, p Problem[T]) ([]float64, error) {
	u, ok := m.(Uncertain[T])
	if !ok {
		return nil, nil
	}
	std, err := u.ObservationStd(ctx, p.Points)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(std))
	for i, s := range std {
		v, off := s*s+p.Noise[i], p.Y[i]-mean[i]
		out[i] = -0.5*off*off/v - 0.5*math.Log(2*math.Pi*v)
	}
	return out, nil
}
