package play

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/sparse"
)

// sparsePenalty is λ of the machines whose penalty is on the coefficients.
var sparsePenalty = Setting{Name: "lambda", Label: "λ", Default: 0.5, Low: 1e-3, High: 1e2, Log: true}

// pathOf fits a machine at each of several λ, which share one matrix of kernel values.
type pathOf func(ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], y,
	lambdas []float64) ([]*learn.ExpansionRegressor[vec], error)

func lassoPath(
	ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], y, lambdas []float64,
) ([]*learn.ExpansionRegressor[vec], error) {
	return sparse.L1VM[vec]{Kernel: k}.Path(ctx, x, y, lambdas)
}

func squaredPath(
	ctx context.Context, k kernel.Kernel[vec], x data.Points[vec], y, lambdas []float64,
) ([]*learn.ExpansionRegressor[vec], error) {
	return sparse.L2VM[vec]{Kernel: k}.Path(ctx, x, y, lambdas)
}

// fit is the machine at one λ.
func (path pathOf) fit(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := path(ctx, s.kernel, x, y, []float64{s.params["lambda"]})
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m[0].Predict, f: m[0].Func(), support: m[0].Support(), report: m[0].Report(),
		more: keptOf(len(m[0].Support()), "vectors kept")}, nil
}

// folds is the errors of points left out at each λ, with one path for each of ten folds.
func (path pathOf) folds(
	ctx context.Context, s lineSettings, x data.Points[vec], y, lambdas []float64,
) ([]float64, error) {
	folds, err := data.KFold(x.Len(), min(10, x.Len()), 1)
	if err != nil {
		return nil, err
	}
	off := make([][]float64, len(lambdas))
	for _, f := range folds {
		models, err := path(ctx, s.kernel, data.Gather(x, f.Train), data.Take(y, f.Train), lambdas)
		if err != nil {
			return nil, err
		}
		for i, m := range models {
			p, err := m.Predict(ctx, data.Gather(x, f.Test))
			if err != nil {
				return nil, err
			}
			for j, row := range f.Test {
				off[i] = append(off[i], y[row]-p[j])
			}
		}
	}
	out := make([]float64, len(lambdas))
	for i := range out {
		out[i] = learn.RootMeanSquare(off[i], nil)
	}
	return out, nil
}

// keptOf adds how many points a machine keeps to its numbers.
func keptOf(n int, label string) func(context.Context, *Regressed, data.Points[vec]) error {
	return func(_ context.Context, out *Regressed, _ data.Points[vec]) error {
		out.Readings = append(out.Readings, reading("support", label, float64(n)))
		return nil
	}
}

// fitRelevance finds noise and weights by evidence: there is nothing to set.
func fitRelevance(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*lineModel, error) {
	m, err := sparse.RVM[vec]{Kernel: s.kernel}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &lineModel{predict: m.Predict, f: m.Func(), support: m.Support(), report: m.Report(),
		more: func(ctx context.Context, out *Regressed, grid data.Points[vec]) error {
			std, err := m.ObservationStd(ctx, grid)
			if err != nil {
				return err
			}
			out.Band, out.Low, out.High = "±2 standard deviations of a new observation", make(Drawn, len(std)),
				make(Drawn, len(std))
			for i, f := range out.F {
				out.Low[i], out.High[i] = f-2*std[i], f+2*std[i]
			}
			out.Readings = append(out.Readings, reading("support", "relevance vectors", float64(len(m.Support()))),
				reading("noise", "noise σₙ found", math.Sqrt(m.Noise())), reading("evidence", "log evidence", m.LogEvidence()))
			return nil
		}}, nil
}
