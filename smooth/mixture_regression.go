package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// MixtureRegression models inputs and target together as a mixture of
// Gaussians and predicts by conditioning (Ghahramani and Jordan 1994): with
// component k's mean (μₓ, μₜ) and covariance [Σₓₓ Σₓₜ; Σₜₓ Σₜₜ],
//
//	p(t|x) = Σ πₖ(x)·N(t | μₜ + ΣₜₓΣₓₓ⁻¹(x - μₓ), Σₜₜ - ΣₜₓΣₓₓ⁻¹Σₓₜ),  πₖ(x) ∝ πₖ·N(x | μₓ, Σₓₓ).
//
// It is evaluated from K components where kernel regression needs all points,
// and follows targets that branch.
type MixtureRegression struct{ density.Mixture }

// MixtureRegressionModel is a fitted MixtureRegression.
type MixtureRegressionModel struct {
	joint   *density.MixtureModel
	inputs  smoothing.Gaussians    // of x alone
	centers []float64              // μₜ
	slopes  linalg.Matrix[float64] // Σₓₓ⁻¹Σₓₜ, a row a component
	spreads []float64              // √ of the conditional variance
	threads int
}

// Fit models the pairs.
func (c MixtureRegression) Fit(
	ctx context.Context, x data.Points[[]float64], y []float64,
) (*MixtureRegressionModel, error) {
	points, err := apply.OwnPoints(x)
	if err == nil {
		y, err = apply.OwnTargets(y, points.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("mixture regression: %w", err)
	}
	d := points.Cols
	pairs := linalg.New[float64](points.Rows, d+1)
	for i := range y {
		copy(pairs.Row(i), points.Row(i))
		pairs.Row(i)[d] = y[i]
	}
	joint, err := c.Mixture.Fit(ctx, data.RowsOf(pairs))
	if err != nil {
		return nil, fmt.Errorf("mixture regression: %w", err)
	}
	return conditioned(joint, c.Threads)
}

// conditioned prepares p(t|x), t the last column of the joint mixture.
func conditioned(joint *density.MixtureModel, threads int) (*MixtureRegressionModel, error) {
	k, d := joint.Components(), joint.Dim()-1
	m := &MixtureRegressionModel{joint: joint, slopes: linalg.New[float64](k, d), threads: threads}
	m.inputs = smoothing.Gaussians{Weights: joint.Proportions(), Means: linalg.New[float64](k, d)}
	for c := range k {
		mean, cov := joint.Mean(c), full(joint.Covariance(c))
		copy(m.inputs.Means.Row(c), mean)
		m.centers = append(m.centers, mean[d])
		both, err := linalg.NewCholesky(1, cov.Clone())
		if err != nil {
			return nil, fmt.Errorf("mixture regression: component %d: %w; a larger ridge would do", c, err)
		}
		chol, err := linalg.NewCholesky(1, cov.Slice(0, d, 0, d).Clone())
		if err != nil {
			return nil, fmt.Errorf("mixture regression: component %d: %w; a larger ridge would do", c, err)
		}
		slope := linalg.New[float64](d, 1)
		v := cov.At(d, d)
		for j := range d {
			slope.Set(j, 0, cov.At(j, d))
		}
		chol.Solve(1, slope)
		for j := range d {
			v -= slope.At(j, 0) * cov.At(j, d)
			m.slopes.Set(c, j, slope.At(j, 0))
		}
		// The last pivot of the joint factor is the same variance, without cancellation.
		if last := both.L.At(d, d); v < last*last/2 || !(v > 0) {
			v = last * last
		}
		m.inputs.Chols, m.spreads = append(m.inputs.Chols, chol), append(m.spreads, math.Sqrt(v))
	}
	return m, nil
}

// full is a symmetric matrix with both triangles.
func full(s *mat.SymDense) linalg.Matrix[float64] {
	m := linalg.New[float64](s.SymmetricDim(), s.SymmetricDim())
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(i, j, s.At(i, j))
		}
	}
	return m
}

// Joint is the mixture of the pairs.
func (m *MixtureRegressionModel) Joint() *density.MixtureModel { return m.joint }

// Report says how the fit went.
func (m *MixtureRegressionModel) Report() learn.Report { return m.joint.Report() }

// Conditional returns p(t|x) at each point: its Mean, Variance, Modes, Quantile.
func (m *MixtureRegressionModel) Conditional(ctx context.Context, x data.Points[[]float64]) ([]Conditional, error) {
	return apply.Slice(x, func(dst []Conditional) error { return m.ConditionalTo(ctx, dst, x) })
}

// ConditionalTo sets dst, a place for each point, to p(t|x).
func (m *MixtureRegressionModel) ConditionalTo(ctx context.Context, dst []Conditional, x data.Points[[]float64]) error {
	return evaluate(ctx, m, dst, x, func(i int, gates, centers []float64) {
		dst[i] = Conditional{Shares: gates, Widths: m.spreads, Centers: append([]float64(nil), centers...)}
	})
}

// Predict returns the mean of p(t|x) at each point.
func (m *MixtureRegressionModel) Predict(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo sets dst, a place for each point, to the mean of p(t|x).
func (m *MixtureRegressionModel) PredictTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	return evaluate(ctx, m, dst, x, func(i int, gates, centers []float64) {
		dst[i] = Conditional{Shares: gates, Centers: centers}.Mean()
	})
}

// evaluate calls f for every point with πₖ(x) and the conditional means; these are
// good until f returns.
func evaluate[R any](
	ctx context.Context, m *MixtureRegressionModel, dst []R, x data.Points[[]float64],
	f func(i int, gates, centers []float64),
) error {
	q, err := queries(ctx, dst, x, m.slopes.Cols, smoothing.Metric{})
	if err != nil {
		return fmt.Errorf("mixture regression: %w", err)
	}
	gates := linalg.New[float64](q.Rows, len(m.spreads))
	if err := m.inputs.Evaluate(ctx, m.threads, q, gates, make([]float64, q.Rows)); err != nil {
		return err
	}
	centers := make([]float64, len(m.spreads))
	for i := range dst {
		for k := range centers {
			centers[k] = m.centers[k]
			for j, s := range m.slopes.Row(k) {
				centers[k] += s * (q.At(i, j) - m.inputs.Means.At(k, j))
			}
		}
		f(i, gates.Row(i), centers)
	}
	return nil
}
