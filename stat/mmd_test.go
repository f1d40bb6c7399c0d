package stat

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

type vec = kernel.Vec

// fixture holds what bench/fixtures/stat_tests.py found by plain loops.
type fixture struct {
	X, Y, U, V, W                                       []vec
	LX, LU, LV, LW, Kappa                               float64
	MMDBiased                                           float64 `json:"mmd_biased"`
	MMDUnbiased                                         float64 `json:"mmd_unbiased"`
	MMDLinear                                           float64 `json:"mmd_linear"`
	MMDBlock                                            float64 `json:"mmd_block"`
	HSICBiased                                          float64 `json:"hsic_biased"`
	HSICUnbiased                                        float64 `json:"hsic_unbiased"`
	DHSIC, COCO, Correlation2, KGV2, Correlation3, KGV3 float64
	PermutedMean                                        float64 `json:"permuted_mean"`
	PermutedVariance                                    float64 `json:"permuted_variance"`
}

func loadFixture(t *testing.T) fixture {
	t.Helper()
	b, err := os.ReadFile("testdata/tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func rows(v []vec) data.DenseRows { return stack(len(v), func(i int) vec { return v[i] }) }

// normal is n points of d independent normal coordinates.
func normal(rng *rand.Rand, n, d int, mean, std float64) data.DenseRows {
	m := linalg.New[float64](n, d)
	for i := range m.Data {
		m.Data[i] = mean + std*rng.NormFloat64()
	}
	return data.RowsOf(m)
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1e-3, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func must[R any](r R, err error) func(t *testing.T) R {
	return func(t *testing.T) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

var background = context.Background()

func TestMMDAgainstPlainLoops(t *testing.T) {
	f := loadFixture(t)
	k := kernel.Gaussian{Lengthscale: f.LX}
	x, y := rows(f.X), rows(f.Y)
	for _, c := range []struct {
		test MMD[vec]
		want float64
	}{
		{MMD[vec]{Estimate: Biased}, f.MMDBiased},
		{MMD[vec]{Estimate: Unbiased}, f.MMDUnbiased},
		{MMD[vec]{Estimate: Linear}, f.MMDLinear},
		{MMD[vec]{Estimate: Block, BlockSize: 3}, f.MMDBlock},
		{MMD[vec]{Estimate: Biased, TestSettings: TestSettings{Null: NullGamma}}, f.MMDBiased},
		{MMD[vec]{Estimate: Unbiased, TestSettings: TestSettings{Null: NullSpectral}}, f.MMDUnbiased},
		{MMD[vec]{Estimate: Linear, TestSettings: TestSettings{Null: NullNormal}}, f.MMDLinear},
		{MMD[vec]{Estimate: Block, BlockSize: 3, TestSettings: TestSettings{Null: NullNormal}}, f.MMDBlock},
	} {
		c.test.Kernel = k
		r := must(c.test.Test(background, x, y))(t)
		near(t, r.Measure+" "+r.Null.String(), r.Statistic, c.want, 1e-12)
		if !(r.P > 0 && r.P <= 1) || r.Reject != (r.P <= 0.05) || r.Reject != (r.Statistic > r.Threshold) {
			t.Errorf("%v: p = %g, threshold %g, reject %v do not agree", r, r.P, r.Threshold, r.Reject)
		}
	}
}

// Every draw is the statistic of points that were really exchanged.
func TestMMDPermutationsAreExchanges(t *testing.T) {
	rng := generator(3)
	x, y := normal(rng, 11, 2, 0, 1), normal(rng, 7, 2, 0.5, 1)
	k := kernel.Laplace{Lengthscale: 1.5}
	for _, e := range []MMDEstimate{Unbiased, Biased} {
		s, _ := TestSettings{Seed: 5, Permutations: 40}.resolve("", NullPermutation)
		r := must(MMD[vec]{Kernel: k, Estimate: e, TestSettings: s}.Test(background, x, y))(t)
		all := pooledVectors(x, y)
		work, choice := make([]int32, 18), make([]float64, 18)
		for b, got := range r.Draws {
			subset(choice, 1, 18, 11, work, s.stream(drawPermutation, b))
			var first, second []int
			for i, c := range choice {
				if c == 1 {
					first = append(first, i)
				} else {
					second = append(second, i)
				}
			}
			again := must(MMD[vec]{Kernel: k, Estimate: e, TestSettings: TestSettings{Permutations: 1}}.Test(background,
				data.Gather(all, first), data.Gather(all, second)))(t)
			near(t, "draw", got, again.Statistic, 1e-11)
		}
	}
}

// All nulls describe one distribution: their p-values agree on a sample that
// is large enough for the limits.
func TestMMDNullsAgree(t *testing.T) {
	rng := generator(4)
	x, y := normal(rng, 150, 2, 0, 1), normal(rng, 120, 2, 0.13, 1)
	for _, e := range []MMDEstimate{Unbiased, Biased} {
		var p []float64
		for _, null := range []Null{NullPermutation, NullGamma, NullSpectral} {
			r := must(MMD[vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Estimate: e,
				TestSettings: TestSettings{Null: null, Permutations: 4000}}.Test(background, x, y))(t)
			p = append(p, r.P)
		}
		for _, v := range p[1:] {
			if math.Abs(v-p[0]) > 0.25*p[0]+0.01 {
				t.Errorf("%v: p-values %v", e, p)
			}
		}
	}
}

// Over its byte budget the test works without a stored matrix.
func TestMMDWithoutStoredGram(t *testing.T) {
	rng := generator(5)
	x, y := normal(rng, 40, 3, 0, 1), normal(rng, 50, 3, 0.3, 1)
	k := kernel.Gaussian{Lengthscale: 2}
	lazy := must(gram.New[vec](context.Background(), k, pooledVectors(x, y), gram.Options{Layout: gram.Lazy}))(t)
	p := centredPool(lazy, 40, 50, 0)
	s, _ := TestSettings{Permutations: 300}.resolve("", NullPermutation)
	want := must(MMD[vec]{Kernel: k, TestSettings: s}.Test(background, x, y))(t)
	near(t, "statistic", p.statistic(Unbiased, p.observed()), want.Statistic, 1e-11)
	draws := make([]float64, 300)
	if err := p.permute(background, s, drawPermutation, Unbiased, draws); err != nil {
		t.Fatal(err)
	}
	for b, v := range draws {
		near(t, "draw", v, want.Draws[b], 1e-11)
	}
	if err := p.gammaNull(want, Unbiased, s); err == nil {
		t.Error("the gamma null needs the matrix, and did not say so")
	}
}

func TestSameBitsAtAnyThreadCount(t *testing.T) {
	rng := generator(6)
	x, y := normal(rng, 300, 3, 0, 1), normal(rng, 300, 3, 0.1, 1)
	k := kernel.Gaussian{Lengthscale: 1.5}
	run := func(threads int) []any {
		s := TestSettings{Seed: 9, Threads: threads, Permutations: 300}
		scales := must(GaussianScales(x, y, 3))(t)
		spectral := s
		spectral.Null = NullSpectral
		return []any{
			must(MMD[vec]{Kernel: k, TestSettings: s}.Test(background, x, y))(t),
			must(MMD[vec]{Kernel: k, Estimate: Linear, TestSettings: s}.Test(background, x, y))(t),
			must(MMD[vec]{Kernel: k, Estimate: Block, TestSettings: s}.Test(background, x, y))(t),
			must(MMD[vec]{Kernel: k, TestSettings: spectral}.Test(background, x, y))(t),
			must(AggregatedMMD[vec]{Kernels: scales, TestSettings: s}.Test(background, x, y))(t),
			must(HSIC[vec, vec]{KernelX: k, KernelY: k, TestSettings: s}.Test(background, x, y))(t),
			must(HSIC[vec, vec]{KernelX: kernel.Gaussian{Lengthscale: .2}, KernelY: k, TestSettings: s}.Test(background, x,
				y))(t),
			must(DHSIC{s}.Test(background, NewVariable[vec](k, x), NewVariable[vec](k, y)))(t),
			must(Dependence{Measure: GeneralisedVariance, MaxRank: 40, TestSettings: s}.Test(background, NewVariable[vec](k, x),
				NewVariable[vec](k, y)))(t),
		}
	}
	one, three := run(1), run(3)
	for i := range one {
		if !reflect.DeepEqual(one[i], three[i]) {
			t.Errorf("test %d differs between 1 and 3 threads: %v and %v", i, one[i], three[i])
		}
	}
}
