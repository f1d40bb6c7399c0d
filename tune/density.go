package tune

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Density is a candidate that estimates the density of the points themselves:
// density.KDE, whose bandwidth is chosen by the mean log density of the points
// that a fold leaves out (Habbema, Hermans & van den Broek 1974; Duin 1976),
//
//	CV(h) = 1/n Σ_f Σ_{i∈f} log p̂_h^{(-f)}(xᵢ).
//
// With leave-one-out folds that is likelihood cross-validation. The problem's task is
// data.Unsupervised, its metric MeanLogDensity. Everything of the estimator but its bandwidth is taken from c.
func Density(c density.KDE, bandwidths []float64) Candidate[kernel.Vec] {
	return Candidate[kernel.Vec]{
		Learner: "kde", Kernel: kernel.Linear{}, // the smoother is no kernel of a Hilbert space
		Label: "kde " + c.Smoother.String(),
		Axes:  []Axis{{Name: "bandwidth", Values: bandwidths}},
		Custom: &Custom[kernel.Vec]{
			Params: []kernel.Param{{Name: "bandwidth", Value: 1, Domain: learn.Positive}},
			Fit: func(ctx context.Context, _ kernel.Kernel[kernel.Vec], params map[string]float64, p learn.Problem[kernel.Vec]) (Predictor[kernel.Vec], error) {
				at := c
				at.Bandwidth, at.Bandwidths, at.BandwidthMatrix, at.Weights = params["bandwidth"], nil, nil, p.Weights
				m, err := at.Fit(ctx, p.Points)
				if err != nil {
					return nil, err
				}
				return &DensityModel{m}, nil
			},
		},
	}
}

// DensityModel is the density a search chose: Fitted.Custom of a Density
// candidate.
type DensityModel struct{ *density.KDEModel }

// PredictAll gives the log density of each point.
func (m *DensityModel) PredictAll(ctx context.Context, x data.Points[kernel.Vec]) (learn.Predictions, error) {
	log, err := m.LogDensity(ctx, x)
	if err != nil {
		return learn.Predictions{}, err
	}
	for i, v := range log {
		if math.IsNaN(v) {
			return learn.Predictions{}, fmt.Errorf("kde: the log density of row %d is not a number", i)
		}
	}
	return learn.Predictions{LogDensity: log}, nil
}
