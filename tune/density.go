package tune

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
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
// data.Unsupervised, its metric MeanLogDensity. Everything of the estimator but its bandwidth is
// taken from c.
func Density(c density.KDE, bandwidths []float64) Candidate {
	return Candidate{
		Learner: "kde", Kernel: kernel.OnVectors(kernel.Linear{}), // the smoother is no kernel of a Hilbert space
		Label: "kde " + c.Smoother.String(),
		Axes:  []Axis{{Name: "bandwidth", Values: bandwidths}},
		Custom: &Custom{
			Params: []kernel.Param{{Name: "bandwidth", Value: 1, Domain: fitting.Positive}},
			Fit: func(ctx context.Context, _ kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor,
				error) {
				at := c
				at.Bandwidth, at.Bandwidths, at.BandwidthMatrix, at.Weights = params["bandwidth"], nil, nil, p.Weights
				x, err := vectorsOf(p.Points)
				if err != nil {
					return nil, err
				}
				m, err := at.Fit(ctx, x)
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
func (m *DensityModel) PredictAll(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
	points, err := vectorsOf(x)
	if err != nil {
		return learn.Predictions{}, err
	}
	log, err := m.LogDensity(ctx, points)
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

// vectorsOf is points that have to be vectors.
func vectorsOf(x data.Points[any]) (data.Points[kernel.Vec], error) {
	v, ok := data.VectorsOf(x)
	if !ok {
		return nil, fmt.Errorf("kde: points are %T; a density is one of vectors", data.Concrete(x))
	}
	return v, nil
}
