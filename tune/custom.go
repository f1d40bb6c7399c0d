package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Custom is a learner of one's own: any that can be fitted and asked for
// predictions takes part in a search, without shared work.
type Custom struct {
	Params []kernel.Param // the learner's parameters with defaults and domains
	// Fit learns from the problem and returns a predictor.
	Fit func(ctx context.Context, k kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor, error)
}

func (c *Custom) params(data.Task) []learn.Param {
	var out []learn.Param
	for _, p := range c.Params {
		out = append(out, learn.Param{Name: p.Name, Default: p.Value, Domain: p.Domain})
	}
	return out
}

// Predictor is what a fitted learner is asked for. It fills the fields of learn.Predictions that it
// can: Value for regression, Class and Score (and Prob, where the metric needs it) for
// classification, LogDensity for densities. The truth is filled in by the search.
type Predictor interface {
	PredictAll(ctx context.Context, x data.Points[any]) (learn.Predictions, error)
}

// PredictorFunc is a function as a Predictor.
type PredictorFunc func(ctx context.Context, x data.Points[any]) (learn.Predictions, error)

// PredictAll calls f.
func (f PredictorFunc) PredictAll(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
	return f(ctx, x)
}
