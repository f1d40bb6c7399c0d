package rbf

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Classification is the radial basis function network for classification:
// logistic regression on the features,
//
//	minimise over β, b   Σ wᵢ log(1 + exp(-yᵢ(Σⱼ βⱼk(μⱼ, xᵢ) + b))) + (λ/2)‖β‖²,
//
// by Newton's method. More than two classes share their centres and are told apart one against
// the rest. Orthogonal least squares picks centres for the ±1 targets of all classes together.
type Classification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	// Given is the centres themselves, in place of Choice and Centers; nil means that they are
	// chosen.
	Given data.Points[T]
	Options
}

// Fit learns from points and their labels.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err == nil {
		err = checkGiven(&c.Options, c.Kernel, x, c.Given)
	}
	if err != nil {
		return nil, fmt.Errorf("rbf classifier: %w", err)
	}
	var targets [][]float64
	for _, t := range labels.Tasks(learn.OneVsRest) {
		targets = append(targets, t.Targets())
	}
	own := data.Own(x)
	m, err := fitting.Heed(ctx, func() (*Classifier[T, L], error) {
		f, centers, report, err := fitRBF(ctx, "rbf classifier", c.Options, c.Kernel, own, c.Given, targets, weights, true)
		if err != nil {
			return nil, err
		}
		report.Elapsed = time.Since(start)
		return &Classifier[T, L]{*learn.NewLogOddsClassifier(f, labels.Classes, sorted(centers.rows), report), centers}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("rbf classifier: %w", err)
	}
	return m, nil
}

// Classifier is a fitted Classification. Its decision values are log odds;
// Support is nil where the centres are means.
type Classifier[T any, L cmp.Ordered] struct {
	learn.LogOddsClassifier[T, L]
	Centers
}
