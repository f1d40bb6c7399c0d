package model

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/smooth"
)

// bandNames are the columns of a smoother.
var bandNames = []string{"smooth", "low", "high"}

// bandColumns is a curve with its band.
func bandColumns(y, low, high []float64) []data.Column {
	return []data.Column{data.NumberColumn(bandNames[0], y), data.NumberColumn(bandNames[1], low),
		data.NumberColumn(bandNames[2], high)}
}

// conditionalSmoother knows the distribution of the target.
type conditionalSmoother interface {
	Predict(ctx context.Context, x data.Points[[]float64]) ([]float64, error)
	Conditional(ctx context.Context, x data.Points[[]float64]) ([]smooth.Conditional, error)
}

// curve sets what smoothers of observations have: the band holds a share of these, and is missing
// where the curve is.
func (t *transform) curve(m conditionalSmoother, size, points int) {
	t.role, t.size, t.points, t.names = roleSmoother, size, points, bandNames
	t.fact("band", "holds 95%% of observations (other shares: Level)")
	t.apply = func(ctx context.Context, x input, o TransformOptions, _ []float64) ([]data.Column, error) {
		y, err := m.Predict(ctx, x.rows)
		if err != nil {
			return nil, err
		}
		given, err := m.Conditional(ctx, x.rows)
		if err != nil {
			return nil, err
		}
		level := cmp.Or(o.Level, 0.95)
		low, high := make([]float64, len(y)), make([]float64, len(y))
		for i, p := range given {
			low[i], high[i] = math.NaN(), math.NaN()
			if !math.IsNaN(y[i]) {
				low[i], high[i] = p.Quantile((1-level)/2), p.Quantile((1+level)/2)
			}
		}
		return bandColumns(y, low, high), nil
	}
}

func restoreNadarayaWatson(t *transform) error {
	m := new(smooth.NadarayaWatsonModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	n, d := t.plain.Arrays["scaled inputs"].Dims()
	t.fact("estimate", "kernel regression, %s kernels, bandwidth %.4g", t.plain.Texts["smoother"], m.Bandwidths())
	t.curve(m, d, n)
	return nil
}

func restoreMixtureRegression(t *transform) error {
	m := new(smooth.MixtureRegressionModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	t.fact("estimate", "regression by %d Gaussians", m.Joint().Components())
	t.curve(m, m.Joint().Dim()-1, m.Joint().Components())
	return nil
}

func restoreLocalRegression(t *transform) error {
	m := new(smooth.LocalRegressionModel)
	err := m.Restore(t.numbers())
	if err != nil {
		return err
	}
	n, d := t.plain.Arrays["scaled inputs"].Dims()
	t.role, t.size, t.points, t.names = roleSmoother, d, n, bandNames
	t.fact("estimate", "local polynomials of degree %.0f, %s kernels", t.plain.Numbers["degree"],
		t.plain.Texts["smoother"])
	t.fact("band", "95%% confidence of the curve, pointwise (other levels: Level)")
	t.apply = func(ctx context.Context, x input, o TransformOptions, _ []float64) ([]data.Column, error) {
		y, err := m.Predict(ctx, x.rows)
		if err != nil {
			return nil, err
		}
		bands, err := m.Bands(ctx, x.rows, cmp.Or(o.Level, 0.95))
		if err != nil {
			return nil, err
		}
		low, high := make([]float64, len(y)), make([]float64, len(y))
		for i, b := range bands {
			low[i], high[i] = b.Lower, b.Upper
		}
		return bandColumns(y, low, high), nil
	}
	return nil
}
