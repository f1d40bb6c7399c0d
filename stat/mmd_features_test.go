package stat_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// valuesOnly is a kernel that is known by its values alone.
type valuesOnly struct{ kernel.Kernel[string] }

func (valuesOnly) Name() string { return "values" }

func (k valuesOnly) Block(dst *mat.Dense, x, y data.Points[string]) {
	kernel.Block(context.Background(), k.Kernel, dst, x, y)
}

// The statistic of many texts, by products with sparse features, and every permutation of it are those
// of the kernel matrix.
func TestMMDBySparseFeaturesIsThatByTheKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	of := func(n, letters int) data.Slice[string] {
		texts := make(data.Slice[string], n)
		for i := range texts {
			for range 2 + rng.IntN(6) {
				texts[i] += string("abcdefgh"[rng.IntN(letters)])
			}
		}
		return texts
	}
	x, y := of(500, 7), of(700, 8)
	k := kernel.Normalize[string](seq.Blended{K: 2})
	for _, estimate := range []stat.MMDEstimate{stat.Unbiased, stat.Biased} {
		for _, null := range []stat.Null{stat.NullPermutation, stat.NullGamma} {
			s := stat.TestSettings{Permutations: 50, Seed: 1, Null: null}
			got, err := stat.MMD[string]{Kernel: k, Estimate: estimate, TestSettings: s}.Test(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			want, err := stat.MMD[string]{Kernel: valuesOnly{k}, Estimate: estimate, TestSettings: s}.Test(context.Background(),
				x, y)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Statistic-want.Statistic) > 1e-12 || math.Abs(got.P-want.P) > 1e-9 {
				t.Errorf("%v, %v: statistic %g at %g, by K %g at %g", estimate, null, got.Statistic, got.P, want.Statistic, want.P)
			}
			for b, v := range got.Draws {
				if math.Abs(v-want.Draws[b]) > 1e-12 {
					t.Fatalf("draw %d is %g, by K %g", b, v, want.Draws[b])
				}
			}
		}
	}
}
