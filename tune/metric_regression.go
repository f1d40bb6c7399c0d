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
		return learn.RootMeanSquare(differences(p.Value, p.Truth), p.Weights)
	}}
}

// MAE is the mean absolute error.
func MAE() Metric {
	return Metric{Name: "mae", Score: func(p learn.Predictions) float64 {
		if p.Value == nil {
			return math.NaN()
		}
		d := differences(p.Value, p.Truth)
		for i := range d {
			d[i] = math.Abs(d[i])
		}
		return learn.Mean(d, p.Weights)
	}}
}

// R2 is 1 - Σ(y-ŷ)²/Σ(y-ȳ)², the share of the variance of the fold explained;
// not defined where the fold's truth is constant.
func R2() Metric {
	return Metric{Name: "r2", Maximize: true, Score: func(p learn.Predictions) float64 {
		if p.Value == nil {
			return math.NaN()
		}
		mean := make([]float64, len(p.Truth))
		for i, m := 0, learn.Mean(p.Truth, p.Weights); i < len(mean); i++ {
			mean[i] = m
		}
		all := learn.RootMeanSquare(differences(p.Truth, mean), p.Weights)
		if all == 0 {
			return math.NaN()
		}
		left := learn.RootMeanSquare(differences(p.Value, p.Truth), p.Weights) / all
		return 1 - left*left
	}}
}

func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
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
