package project_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

// valuesOnly is a kernel that is known by its values alone.
type valuesOnly struct{ kernel.Kernel[string] }

func (valuesOnly) Name() string { return "values" }

func (k valuesOnly) Block(dst *mat.Dense, x, y data.Points[string]) {
	kernel.Block(context.Background(), k.Kernel, dst, x, y)
}

// The components of many texts, found by products with sparse features, are those of the kernel
// matrix: variances, scores, projections of other texts.
func TestPCABySparseFeaturesIsThatByTheKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	texts := make(data.Slice[string], 1200)
	for i := range texts {
		for range 2 + rng.IntN(6) {
			texts[i] += string("abcdefgh"[min(rng.IntN(8), rng.IntN(8))])
		}
	}
	k := kernel.Normalize[string](seq.Blended{K: 2})
	ctx := context.Background()
	got, err := project.PCA[string]{Kernel: k, Components: 4}.Fit(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := project.PCA[string]{Kernel: valuesOnly{k}, Components: 4, Solver: project.SolveFull}.Fit(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Report().Solver != project.SolveTop {
		t.Fatal(got.Report())
	}
	others := data.Slice[string]{"abc", "hhh", "", "fga"}
	a, err := got.Transform(ctx, others)
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.Transform(ctx, others)
	if err != nil {
		t.Fatal(err)
	}
	for j := range 4 {
		if v, w := got.Variance()[j], want.Variance()[j]; math.Abs(v-w) > 1e-10*w {
			t.Errorf("variance %d is %g, by K %g", j, v, w)
		}
		for i := range others {
			if math.Abs(a.At(i, j)-b.At(i, j)) > 1e-6 {
				t.Errorf("score (%d, %d) is %g, by K %g", i, j, a.At(i, j), b.At(i, j))
			}
		}
	}
	if v, w := got.TotalVariance(), want.TotalVariance(); math.Abs(v-w) > 1e-10*w {
		t.Errorf("total variance %g, by K %g", v, w)
	}
}
