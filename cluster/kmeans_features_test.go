package cluster_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// valuesOnly is a kernel that is known by its values alone.
type valuesOnly struct{ kernel.Kernel[string] }

func (valuesOnly) Name() string { return "values" }

func (k valuesOnly) Block(dst *mat.Dense, x, y data.Points[string]) {
	kernel.Block(context.Background(), k.Kernel, dst, x, y)
}

// The groups of many texts, found by products with sparse features, are those of the kernel matrix.
func TestKMeansBySparseFeaturesIsThatByTheKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	texts := make(data.Slice[string], 1200)
	for i := range texts {
		for range 2 + rng.IntN(6) {
			texts[i] += string("abcdefgh"[4*(i%2)+rng.IntN(4)])
		}
	}
	k := kernel.Normalize[string](seq.Blended{K: 2})
	ctx := context.Background()
	got, err := cluster.KMeans[string]{Kernel: k, Clusters: 3, Seed: 1, Restarts: 4}.Fit(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := cluster.KMeans[string]{Kernel: valuesOnly{k}, Clusters: 3, Seed: 1, Restarts: 4}.Fit(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Inertia(), want.Inertia(); math.Abs(a-b) > 1e-9*b {
		t.Errorf("sum of squares %g, by K %g", a, b)
	}
	if !slices.Equal(got.Labels(), want.Labels()) {
		t.Error("other groups than by K")
	}
}
