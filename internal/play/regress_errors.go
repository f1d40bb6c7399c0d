package play

import (
	"context"
	"maps"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/smooth"
)

// judgedValues is how many values of a setting the curve of errors has.
const judgedValues = 25

// curve is the error of points left out over the values of the first setting, on the slider's own
// scale.
func (l lineLearner) curve(ctx context.Context, s lineSettings, x data.Points[vec], y []float64) (*Curve, error) {
	first := l.Settings[0]
	values := fitting.LinSpace(first.Low, first.High, judgedValues)
	if first.Log {
		values = learn.LogSpace(first.Low, first.High, judgedValues)
	}
	out := &Curve{Setting: first.Name, How: "leave one out", Values: values}
	leaveOut := l.leaveOut
	if leaveOut == nil {
		out.How, leaveOut = "10-fold", l.folds
	}
	if leaveOut == nil {
		leaveOut = l.tenFold
	}
	errors, err := leaveOut(ctx, s, x, y, values)
	if err != nil {
		return nil, err
	}
	out.Errors = errors
	best := math.Inf(1)
	out.Best = Number(math.NaN())
	for i, e := range errors {
		if e < best {
			best, out.Best = e, Number(values[i])
		}
	}
	return out, nil
}

// leaveOutRidge has all λ from one eigendecomposition.
func leaveOutRidge(ctx context.Context, s lineSettings, x data.Points[vec], y, values []float64) ([]float64, error) {
	return pathErrors(ctx, ridge.Regression[vec]{Kernel: s.kernel, Intercept: true}, x, y, values)
}

// leaveOutProcess is that of the ridge regression without intercept whose λ is the noise variance:
// the posterior mean is its solution.
func leaveOutProcess(ctx context.Context, s lineSettings, x data.Points[vec], y, values []float64) ([]float64, error) {
	variance := make([]float64, len(values))
	for i, v := range values {
		variance[i] = v * v
	}
	return pathErrors(ctx, ridge.Regression[vec]{Kernel: s.kernel}, x, y, variance)
}

func pathErrors(
	ctx context.Context, r ridge.Regression[vec], x data.Points[vec], y, lambdas []float64,
) ([]float64, error) {
	path, err := r.Path(ctx, x, y)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(lambdas))
	for i, lambda := range lambdas {
		loo, err := path.LeaveOneOut(lambda)
		if err != nil {
			return nil, err
		}
		out[i] = learn.RootMeanSquare(columns(loo)[0], nil)
	}
	return out, nil
}

// leaveOutAverage fits once for each bandwidth: a point left out changes the weights of the others
// by their sum alone.
func leaveOutAverage(ctx context.Context, _ lineSettings, x data.Points[vec], y, values []float64) ([]float64, error) {
	out := make([]float64, len(values))
	for i, h := range values {
		m, err := smooth.NadarayaWatson{Bandwidth: h}.Fit(ctx, x, y)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out[i] = math.NaN() // too narrow to reach a neighbour
			continue
		}
		out[i] = learn.RootMeanSquare(m.Residuals(), nil)
	}
	return out, nil
}

// tenFold refits, for learners without a formula.
func (l lineLearner) tenFold(
	ctx context.Context, s lineSettings, x data.Points[vec], y, values []float64,
) ([]float64, error) {
	folds, err := data.KFold(x.Len(), min(10, x.Len()), 1)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(values))
	for i, v := range values {
		t := s
		t.params = maps.Clone(s.params)
		t.params[l.Settings[0].Name] = v
		off := make([]float64, 0, len(y))
		for _, f := range folds {
			m, err := l.fit(ctx, t, data.Gather(x, f.Train), data.Take(y, f.Train))
			if err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				off = append(off, math.NaN()) // a span of too few points
				break
			}
			p, err := m.predict(ctx, data.Gather(x, f.Test))
			if err != nil {
				return nil, err
			}
			for j, row := range f.Test {
				off = append(off, y[row]-p[j])
			}
		}
		out[i] = learn.RootMeanSquare(off, nil)
	}
	return out, nil
}
