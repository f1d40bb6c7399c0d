package forest

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
)

// Regression predicts numbers: at each node of a tree the cut is taken that leaves the least
// squares around the means of its two sides,
//
//	minimise over column, threshold, side of missing values   Σ_left w(y - ȳ_left)² + Σ_right w(y - ȳ_right)².
//
// The zero value is a random forest of 100 trees on bootstrap samples, which looks at all columns
// in each node as scikit-learn's does.
type Regression struct {
	forest.Growth
	Weights []float64 // of rows; nil means 1
	learn.Resources
}

// Fit grows the trees.
func (c Regression) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (_ *Regressor, err error) {
	defer fault.Name("forest", &err)
	start := time.Now()
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	weights, err := fitting.Prices(1, len(y), c.Weights)
	if err != nil {
		return nil, err
	}
	report, err := room("forest", &c.Resources, c.Growth, x, 1)
	if err != nil {
		return nil, err
	}
	f, bag, err := forest.Supervised{Growth: c.Growth, Weights: weights, Threads: c.Threads}.Fit(ctx, x, y)
	if err != nil {
		return nil, fault.Plain(err)
	}
	if bag != nil {
		report.Notes = append(report.Notes, fmt.Sprintf("out of bag, R² is %.4g on %d rows", bag.Score, bag.Judged))
	}
	report.Elapsed = time.Since(start)
	return &Regressor{*newModel("forest", f, []float64{learn.Mean(y, weights)}, bag, report)}, nil
}

// Regressor is a fitted Regression or Boosting.
type Regressor struct{ model }

// Predict returns the mean over the trees of the leaf of each point; of boosted ones the sum.
func (m *Regressor) Predict(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes that of point i to dst[i].
func (m *Regressor) PredictTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil || len(dst) == 0 {
		return err
	}
	return m.average(ctx, dst, x)
}

// Saved returns the model as plain data; its arrays are those of the forest.
func (m *Regressor) Saved() learn.Saved[kernel.Vec] { return m.saved(0) }

var _ learn.Regressor[kernel.Vec] = (*Regressor)(nil)
