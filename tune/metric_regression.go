package tune

import (
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// RMSE is the root of the mean squared error.
func RMSE() Metric {
	return Metric{Name: "rmse", Score: func(p learn.Predictions) float64 {
		if p.Value == nil {
			return math.NaN()
		}
		return math.Sqrt(weightedMean(p, func(i int) float64 { d := p.Value[i] - p.Truth[i]; return d * d }))
	}}
}

// MAE is the mean absolute error.
func MAE() Metric {
	return Metric{Name: "mae", Score: func(p learn.Predictions) float64 {
		if p.Value == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 { return math.Abs(p.Value[i] - p.Truth[i]) })
	}}
}

// R2 is 1 - Σ(y-ŷ)²/Σ(y-ȳ)², the share of the variance of the fold explained;
// not defined where the fold's truth is constant.
func R2() Metric {
	return Metric{Name: "r2", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Value == nil {
			return math.NaN()
		}
		mean := weightedMean(p, func(i int) float64 { return p.Truth[i] })
		left := weightedMean(p, func(i int) float64 { d := p.Value[i] - p.Truth[i]; return d * d })
		all := weightedMean(p, func(i int) float64 { d := p.Truth[i] - mean; return d * d })
		if all == 0 {
			return math.NaN()
		}
		return 1 - left/all
	}}
}

// MeanLogDensity is the mean of log p(y) under the predictive distribution of
// each point (for densities: of the point itself).
func MeanLogDensity() Metric {
	return Metric{Name: "log-density", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.LogDensity == nil {
			return math.NaN()
		}
		return weightedMean(p, func(i int) float64 { return p.LogDensity[i] })
	}}
}
