package prob

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"github.com/mercer-ml/mercer/kernel/internal/instances"
)

// MeanEmbedding is the inner product of the mean embeddings of two samples,
//
//	k(X, Y) = ⟨μ_X, μ_Y⟩ = 1/(nm) Σ_{x ∈ X} Σ_{y ∈ Y} κ(x, y),   μ_X = 1/n Σ κ(x, ·),
//
// κ = Kernel (Berlinet & Thomas-Agnan 2004; Smola, Gretton, Song & Schölkopf 2007). Its distance is
// the maximum mean discrepancy; the Gaussian of that is GaussianMMD. An empty sample has the
// embedding 0.
type MeanEmbedding[T any] struct {
	Kernel kernel.Kernel[T]
}

// GaussianMMD is exp(-MMD²(X, Y)/(2ℓ²)) on samples, MMD in the RKHS of κ: universal on
// distributions when κ is characteristic on a compact set (Christmann & Steinwart 2010), and the
// kernel of distribution regression (Szabó, Sriperumbudur, Póczos & Gretton 2016).
func GaussianMMD[T any](kappa kernel.Kernel[T], lengthscale float64) kernel.Kernel[[]T] {
	return kernel.Substitute[[]T](kernel.Gaussian{Lengthscale: lengthscale}, MeanEmbedding[T]{kappa})
}

// Name is "meanembedding".
func (MeanEmbedding[T]) Name() string { return "meanembedding" }

func equalWeights[T any](x []T) instances.Bag[T] {
	b := instances.Bag[T]{Items: x, Weights: make([]float64, len(x))}
	for i := range b.Weights {
		b.Weights[i] = 1 / float64(len(x))
	}
	return b
}

// Eval returns the mean of κ over all pairs.
func (k MeanEmbedding[T]) Eval(x, y []T) float64 {
	return instances.Sum(k.Kernel, nil, equalWeights(x), equalWeights(y))
}

// PreparePoints makes one Gram matrix of all points of all samples.
func (k MeanEmbedding[T]) PreparePoints(ctx context.Context, x, y data.Points[[]T]) kernel.Rectangle {
	return instances.Prepare(ctx, k.Kernel, nil, x, y, equalWeights[T])
}

// Params are those of κ.
func (k MeanEmbedding[T]) Params() []kernel.Param { return kernel.Params(k.Kernel) }

// With sets the parameters of κ.
func (k MeanEmbedding[T]) With(theta []float64) kernel.Kernel[[]T] {
	if t, ok := k.Kernel.(kernel.Tunable[T]); ok {
		return MeanEmbedding[T]{t.With(theta)}
	}
	return k
}

// Validate asks κ.
func (k MeanEmbedding[T]) Validate() error {
	if k.Kernel == nil {
		return fmt.Errorf("kernel: meanembedding: no kernel on points")
	}
	return kernel.Validate(k.Kernel)
}

// CheckPoints asks κ about the points of each sample.
func (k MeanEmbedding[T]) CheckPoints(x data.Points[[]T]) error {
	return checkSamples("meanembedding", k.Kernel, x)
}

// Properties follow from κ.
func (k MeanEmbedding[T]) Properties() kernel.Properties {
	inner := kernel.PropertiesOf(k.Kernel)
	p := field.Discrete(inner.Bound * (1 + 1e-12))
	if inner.PSD != kernel.Yes {
		p.PSD = kernel.Unknown
	}
	return p
}

// checkSamples asks k about each sample, and that vectors have one length in all.
func checkSamples[T any](name string, k kernel.Kernel[T], x data.Points[[]T]) error {
	dim := -1
	for i := range x.Len() {
		sample := data.Slice[T](x.At(i))
		if v, ok := any(sample).(data.Slice[kernel.Vec]); ok && len(v) > 0 {
			if dim < 0 {
				dim = len(v[0])
			}
			if len(v[0]) != dim {
				return fmt.Errorf("kernel: %s: sample %d has points of %d coordinates, those before have %d", name, i, len(v[0]),
					dim)
			}
		}
		if err := kernel.Check(k, data.Points[T](sample)); err != nil {
			return fmt.Errorf("kernel: %s: sample %d: %w", name, i, err)
		}
	}
	return nil
}
