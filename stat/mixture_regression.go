package stat

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
)

// MixtureRegression models inputs and target together as a mixture of
// Gaussians and predicts by conditioning (Ghahramani and Jordan 1994): with
// component k's mean (μₓ, μₜ) and covariance [Σₓₓ Σₓₜ; Σₜₓ Σₜₜ],
//
//	p(t|x) = Σ πₖ(x)·N(t | μₜ + ΣₜₓΣₓₓ⁻¹(x - μₓ), Σₜₜ - ΣₜₓΣₓₓ⁻¹Σₓₜ),  πₖ(x) ∝ πₖ·N(x | μₓ, Σₓₓ).
//
// It is evaluated from K components where kernel regression needs all points,
// and follows targets that branch.
type MixtureRegression struct{ Mixture }

// MixtureRegressionModel is a fitted MixtureRegression.
type MixtureRegressionModel struct {
	joint   *MixtureModel
	means   linalg.Matrix[float64] // of the inputs
	chols   []*linalg.Cholesky     // of Σₓₓ
	slopes  linalg.Matrix[float64] // Σₓₓ⁻¹Σₓₜ, a row a component
	spreads []float64              // √ of the conditional variance
}

// Fit models the pairs.
func (c MixtureRegression) Fit(ctx context.Context, x data.Points[[]float64], t []float64) (*MixtureRegressionModel, error) {
	points, err := ownMatrix(x)
	if err == nil {
		t, err = ownTargets(t, points.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("mixture regression: %w", err)
	}
	d := points.Cols
	pairs := linalg.New[float64](points.Rows, d+1)
	for i := range t {
		copy(pairs.Row(i), points.Row(i))
		pairs.Row(i)[d] = t[i]
	}
	joint, err := c.Mixture.Fit(ctx, data.RowsOf(pairs))
	if err != nil {
		return nil, fmt.Errorf("mixture regression: %w", err)
	}
	k := joint.Components()
	m := &MixtureRegressionModel{joint: joint, means: joint.means.Slice(0, k, 0, d), slopes: linalg.New[float64](k, d)}
	for c, cov := range joint.covs {
		chol, err := linalg.NewCholesky(1, cov.Slice(0, d, 0, d).Clone())
		if err != nil {
			return nil, fmt.Errorf("mixture regression: component %d: %w; raise Ridge", c, err)
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
		if last := joint.chols[c].L.At(d, d); v < last*last/2 || !(v > 0) {
			v = last * last
		}
		m.chols, m.spreads = append(m.chols, chol), append(m.spreads, math.Sqrt(v))
	}
	return m, nil
}

// Joint is the mixture of the pairs.
func (m *MixtureRegressionModel) Joint() *MixtureModel { return m.joint }

// Report says how the fit went.
func (m *MixtureRegressionModel) Report() learn.Report { return m.joint.report }

// Conditional is p(t|x) at each point: its Mean, Variance, Modes, Quantile.
func (m *MixtureRegressionModel) Conditional(ctx context.Context, x data.Points[[]float64]) ([]Conditional, error) {
	q, err := matrixOf(x, m.means.Cols)
	if err != nil {
		return nil, fmt.Errorf("mixture regression: %w", err)
	}
	gates := linalg.New[float64](q.Rows, len(m.spreads))
	expectation(ctx, m.joint.config.Threads, q, m.joint.weights, m.means, m.chols, gates, make([]float64, q.Rows))
	out := make([]Conditional, q.Rows)
	for i := range out {
		c := Conditional{Weights: gates.Row(i), Widths: m.spreads, Centers: make([]float64, len(m.spreads))}
		for k := range c.Centers {
			c.Centers[k] = m.joint.means.At(k, m.means.Cols)
			for j, s := range m.slopes.Row(k) {
				c.Centers[k] += s * (q.At(i, j) - m.means.At(k, j))
			}
		}
		out[i] = c
	}
	return out, ctx.Err()
}

// Predict returns the mean of p(t|x) at each point, in dst when it is long enough.
func (m *MixtureRegressionModel) Predict(ctx context.Context, dst []float64, x data.Points[[]float64]) ([]float64, error) {
	all, err := m.Conditional(ctx, x)
	dst = dst[:0]
	for _, c := range all {
		dst = append(dst, c.Mean())
	}
	return dst, err
}

// SelectMixture fits 1 to most components and keeps the model with the lowest BIC.
func SelectMixture(ctx context.Context, c Mixture, x data.Points[[]float64], most int) (*MixtureModel, error) {
	var best *MixtureModel
	for k := 1; k <= most; k++ {
		c.Components = k
		m, err := c.Fit(ctx, x)
		if err != nil {
			if best != nil && errors.Is(err, errDegenerate) {
				break
			}
			return nil, err
		}
		if best == nil || m.BIC() < best.BIC() {
			best = m
		}
	}
	if best == nil {
		return nil, fmt.Errorf("mixture: at most %d components leaves nothing to choose from", most)
	}
	return best, nil
}
