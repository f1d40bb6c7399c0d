package learn

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// RBFClassifier is the radial basis function network for classification:
// logistic regression on the features,
//
//	minimise over β, b   Σ wᵢ log(1 + exp(-yᵢ(Σⱼ βⱼk(μⱼ, xᵢ) + b))) + (λ/2)‖β‖²,
//
// by Newton's method. More than two classes share their centres and are told apart one against
// the rest. Orthogonal least squares picks centres for the ±1 targets of all classes together.
type RBFClassifier[T any, L cmp.Ordered] struct {
	Kernel        kernel.Kernel[T]
	Balance       Balance       // weights of the classes ClassWeights does not name
	ClassWeights  map[L]float64 // weight of a class
	SampleWeights []float64     // weight of a point; nil means 1
	RBFOptions
}

// Fit learns from points and their labels.
func (c RBFClassifier[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*RBFClassifierModel[T, L], error) {
	start := time.Now()
	labels, weights, err := checkClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.SampleWeights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("rbf classifier: %w", err)
	}
	var targets [][]float64
	for _, t := range labels.Tasks(OneVsRest) {
		targets = append(targets, t.Targets())
	}
	own := data.Own(x)
	m, err := heeding(ctx, func() (*RBFClassifierModel[T, L], error) {
		f, centers, report, err := fitRBF(ctx, "rbf classifier", c.RBFOptions, c.Kernel, own, targets, weights, true)
		if err != nil {
			return nil, err
		}
		base := ExpansionClassifier[T, L]{f: f, classes: labels.Classes, support: sorted(centers.rows), report: report}
		return &RBFClassifierModel[T, L]{VectorMachineModel[T, L]{base}, centers}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("rbf classifier: %w", err)
	}
	m.report.Elapsed = time.Since(start)
	return m, nil
}

// RBFClassifierModel is a fitted RBFClassifier. Its decision values are log odds;
// Support is nil where the centres are means.
type RBFClassifierModel[T any, L cmp.Ordered] struct {
	VectorMachineModel[T, L]
	RBFCenters
}
