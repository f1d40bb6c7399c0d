package prob_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// ended asks prepared kernels for values after their context has ended: they return, whatever they
// leave.
func ended[T any](x data.Slice[T], ks ...kernel.Preparer[T]) {
	for _, k := range ks {
		ctx, cancel := context.WithCancel(context.Background())
		fill := k.PreparePoints(ctx, x, x)
		cancel()
		fill(mat.NewDense(2, 2, nil), 1, 1)
		k.PreparePoints(ctx, x, x[:3])(mat.NewDense(2, 2, nil), 1, 1)
	}
}

func TestEndedContext(t *testing.T) {
	_, marginalized := marginal()
	fisher := must[prob.Fisher[[]int]](t)(prob.FisherIdentity[[]int](twoStates))
	ended(histograms(5), kernel.Preparer[kernel.Vec](prob.Product{}))
	ended(planePoints, kernel.Preparer[kernel.Vec](factor), marginalized,
		prob.Covariance[kernel.Vec]{LogJoint: factor.LogJoint})
	ended(normals2(5), kernel.Preparer[prob.Normal](prob.NormalProduct{}))
	ended(mixtures(5), kernel.Preparer[prob.Mixture](prob.MixtureProduct{}))
	ended(samples(5, 2), kernel.Preparer[[]kernel.Vec](prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Gaussian{}}),
		prob.SemigroupVariance{})
	ended(sequences[:5], kernel.Preparer[[]int](fisher), prob.MarginalizedCount{Model: twoStates})
}
