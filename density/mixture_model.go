package density

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// LogDensity returns log p at each point.
func (m *MixtureModel) LogDensity(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.LogDensityTo(ctx, dst, x) })
}

// LogDensityTo sets dst, a place for each point, to log p.
func (m *MixtureModel) LogDensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.means.Cols)
	if err == nil {
		err = m.gaussians().Evaluate(ctx, m.config.Threads, q, linalg.New[float64](q.Rows, len(m.weights)), dst)
	}
	if err != nil {
		return fmt.Errorf("mixture: %w", err)
	}
	return nil
}

// Density returns p at each point.
func (m *MixtureModel) Density(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.DensityTo(ctx, dst, x) })
}

// DensityTo sets dst, a place for each point, to p.
func (m *MixtureModel) DensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	return exponentiated(dst, m.LogDensityTo(ctx, dst, x))
}

// Responsibilities returns p(k|x), a row for each point and a column for each component.
func (m *MixtureModel) Responsibilities(ctx context.Context, x data.Points[[]float64]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.weights), func(dst *mat.Dense) error { return m.ResponsibilitiesTo(ctx, dst, x) })
}

// ResponsibilitiesTo sets dst, a row for each point and a column for each
// component, to p(k|x).
func (m *MixtureModel) ResponsibilitiesTo(ctx context.Context, dst *mat.Dense, x data.Points[[]float64]) (err error) {
	defer fault.Name("mixture", &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	q, err := apply.Queries(x, m.means.Cols)
	if err == nil {
		err = apply.CheckDims(dst, q.Rows, len(m.weights))
	}
	if err == nil && q.Rows > 0 {
		err = m.gaussians().Evaluate(ctx, m.config.Threads, q, linalg.Of(dst), make([]float64, q.Rows))
	}
	return err
}

func (m *MixtureModel) gaussians() smoothing.Gaussians {
	return smoothing.Gaussians{Weights: m.weights, Means: m.means, Chols: m.chols}
}
