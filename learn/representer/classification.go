package representer

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Classification is Regression with targets ±1 and a loss of the margin: the hinge of support
// vector machines, its square, the logistic loss, or one of one's own. More than two classes are
// told apart one against the rest, and the largest value wins.
type Classification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Loss         rkhs.Loss     // nil means rkhs.SquaredHingeLoss{}
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	Options
}

// Fit learns from points and their labels.
func (c Classification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (*learn.ExpansionClassifier[T, L], error) {
	start := time.Now()
	if c.Loss == nil {
		c.Loss = rkhs.SquaredHingeLoss{}
	}
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil {
		err = c.check(c.Loss)
	}
	if err != nil {
		return nil, fmt.Errorf("representer classifier: %w", err)
	}
	var targets [][]float64
	for _, t := range labels.Tasks(learn.OneVsRest) {
		targets = append(targets, t.Targets())
	}
	own := data.Own(x)
	m, err := fitting.Heed(ctx, func() (*learn.ExpansionClassifier[T, L], error) {
		s, err := solveAll(ctx, "representer classifier", c.Options, c.Kernel, c.Loss, own, targets, weights)
		if err != nil {
			return nil, err
		}
		s.report.Elapsed = time.Since(start)
		return learn.NewExpansionClassifier(s.f, labels.Classes, s.support, s.report), fitting.FiniteCoefficients(s.f)
	})
	if err != nil {
		return nil, fmt.Errorf("representer classifier: %w", fitting.Explain(ctx, err, c.Kernel, own, c.Resources))
	}
	return m, nil
}
