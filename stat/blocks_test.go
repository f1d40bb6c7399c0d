package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func spanOf(m *mat.Dense, lo, hi int) data.Points[kernel.Vec] {
	return data.Span(data.Points[kernel.Vec](data.Rows(m)), lo, hi)
}

// unbiasedMMD is the U-statistic by its definition.
func unbiasedMMD(k kernel.Kernel[kernel.Vec], x, y data.Points[kernel.Vec]) float64 {
	n, sum := x.Len(), 0.0
	for i := range n {
		for j := range n {
			if i != j {
				sum += (k.Eval(x.At(i), x.At(j)) + k.Eval(y.At(i), y.At(j))) / float64(n*(n-1))
			}
			sum -= 2 * k.Eval(x.At(i), y.At(j)) / float64(n*n)
		}
	}
	return sum
}

// TestMMDBlocksAreDoubleLoops: the statistic is the mean of U-statistics by their definition, and
// merged parts are the test of one machine, number by number.
func TestMMDBlocksAreDoubleLoops(t *testing.T) {
	const n, side = 60, 6
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := normals(rng, n, 0), normals(rng, n, 0.4)
	k := kernel.Gaussian{Lengthscale: 1.3}
	test := MMD[kernel.Vec]{Kernel: k}
	parts, want := []*Blocks{{}, {}, {}}, 0.0
	for b := range n / side {
		px, py := spanOf(x, b*side, (b+1)*side), spanOf(y, b*side, (b+1)*side)
		if err := test.AddBlock(t.Context(), parts[b%3], px, py); err != nil {
			t.Fatal(err)
		}
		want += unbiasedMMD(k, px, py) / (n / side)
	}
	all := &Blocks{}
	for _, p := range parts {
		all.Merge(p)
	}
	for _, null := range []Null{NullGamma, NullNormal} {
		test.Null = null
		r := must(test.TestBlocks(all))(t)
		whole := must(MMD[kernel.Vec]{Kernel: k, Estimate: Block, BlockSize: side,
			TestSettings: TestSettings{Null: null}}.Test(t.Context(), data.Rows(x), data.Rows(y)))(t)
		if math.Abs(r.Statistic-want) > 1e-12 || math.Abs(r.P-whole.P) > 1e-10 ||
			math.Abs(r.Threshold-whole.Threshold) > 1e-12 || r.Measure != whole.Measure || r.Sizes[0] != n {
			t.Errorf("%v, want statistic %g and\n%v", r, want, whole)
		}
	}
}

// permutations calls f with all orders of n things.
func permutations(n int, f func(p []int)) {
	p := make([]int, n)
	var place func(i int, used int)
	place = func(i, used int) {
		if i == n {
			f(p)
			return
		}
		for j := range n {
			if used>>j&1 == 0 {
				p[i] = j
				place(i+1, used|1<<j)
			}
		}
	}
	place(0, 0)
}

// TestHSICBlocksAreDoubleLoops: statistic, mean and variance of a block are those of its definition
// over all exchanges; blocks add up.
func TestHSICBlocksAreDoubleLoops(t *testing.T) {
	const side, blocks = 6, 3
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := normals(rng, side*blocks, 0), normals(rng, side*blocks, 0)
	kx, ky := kernel.Gaussian{Lengthscale: 1}, kernel.Laplace{Lengthscale: 2}
	test := HSIC[kernel.Vec, kernel.Vec]{KernelX: kx, KernelY: ky}
	all, want, variance := &Blocks{}, 0.0, 0.0
	for b := range blocks {
		px, py := spanOf(x, b*side, (b+1)*side), spanOf(y, b*side, (b+1)*side)
		if err := test.AddBlock(t.Context(), all, px, py); err != nil {
			t.Fatal(err)
		}
		centred := func(k kernel.Kernel[kernel.Vec], p data.Points[kernel.Vec]) *mat.Dense {
			h := mat.NewDense(side, side, nil)
			g := mat.NewDense(side, side, nil)
			for i := range side {
				for j := range side {
					g.Set(i, j, k.Eval(p.At(i), p.At(j)))
					h.Set(i, j, -1./side)
				}
				h.Set(i, i, 1-1./side)
			}
			g.Mul(h, g)
			g.Mul(g, h)
			return g
		}
		k, l := centred(kx, px), centred(ky, py)
		v := func(p []int) (out float64) {
			for i := range side {
				for j := range side {
					out += k.At(i, j) * l.At(p[i], p[j])
				}
			}
			return out
		}
		var values []float64
		permutations(side, func(p []int) { values = append(values, v(p)) })
		mean, spread := meanVariance(values)
		spread *= float64(len(values)-1) / float64(len(values))
		unit := float64(side * (side - 3))
		want += (values[0] - mean) / unit / blocks
		variance += spread / (unit * unit)
	}
	if math.Abs(all.Mean+all.Shift) > 1e-14 || math.Abs(all.Variance-variance) > 1e-12*variance {
		t.Errorf("mean %g, want 0; variance %g, want %g", all.Mean+all.Shift, all.Variance, variance)
	}
	r := must(test.TestBlocks(all))(t)
	if math.Abs(r.Statistic-want) > 1e-14 || r.Sizes[0] != side*blocks {
		t.Errorf("%v, want %g", r, want)
	}
}

// TestBlocksKeepTheirLevel: of independent variables and equal samples about α are rejected; of
// others most.
func TestBlocksKeepTheirLevel(t *testing.T) {
	turns := 200
	if testing.Short() {
		turns = 60
	}
	const n, side = 200, 20
	rng := rand.New(rand.NewPCG(3, 3))
	k := kernel.Gaussian{Lengthscale: 1.5}
	rejected := map[string]int{}
	for range turns {
		x, y, z := normals(rng, n, 0), normals(rng, n, 0), normals(rng, n, 0.5)
		dependent := mat.NewDense(n, 2, nil)
		for i := range n {
			dependent.SetRow(i, []float64{x.At(i, 0)*x.At(i, 0) + 0.3*rng.NormFloat64(), rng.NormFloat64()})
		}
		for name, y := range map[string]*mat.Dense{"same": y, "other": z} {
			test, all := MMD[kernel.Vec]{Kernel: k, TestSettings: TestSettings{Threads: 1}}, &Blocks{}
			for lo := 0; lo < n; lo += side {
				if err := test.AddBlock(t.Context(), all, spanOf(x, lo, lo+side), spanOf(y, lo, lo+side)); err != nil {
					t.Fatal(err)
				}
			}
			if must(test.TestBlocks(all))(t).Reject {
				rejected[name]++
			}
		}
		for name, y := range map[string]*mat.Dense{"independent": y, "dependent": dependent} {
			test, all := HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k, TestSettings: TestSettings{Threads: 1}}, &Blocks{}
			for lo := 0; lo < n; lo += side {
				if err := test.AddBlock(t.Context(), all, spanOf(x, lo, lo+side), spanOf(y, lo, lo+side)); err != nil {
					t.Fatal(err)
				}
			}
			if must(test.TestBlocks(all))(t).Reject {
				rejected[name]++
			}
		}
	}
	// five standard deviations of a binomial at 5 %
	most := int(0.05*float64(turns) + 5*math.Sqrt(0.05*0.95*float64(turns)))
	if rejected["same"] > most || rejected["independent"] > most || rejected["other"] < turns/2 ||
		rejected["dependent"] < turns/2 {
		t.Errorf("of %d: %v", turns, rejected)
	}
}

// TestBlocksRefuse: no block, blocks of two sizes, too few rows, a null that is not offered.
func TestBlocksRefuse(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1}
	rng := rand.New(rand.NewPCG(4, 4))
	x := normals(rng, 10, 0)
	mmd, hsic := MMD[kernel.Vec]{Kernel: k}, HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k}
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"no block is full":       func() error { return second(mmd.TestBlocks(&Blocks{})) },
		"smaller blocks":         func() error { return second(hsic.TestBlocks(&Blocks{})) },
		"as many of each sample": func() error { return mmd.AddBlock(ctx, &Blocks{}, spanOf(x, 0, 4), spanOf(x, 4, 10)) },
		"at least 2":             func() error { return mmd.AddBlock(ctx, &Blocks{}, spanOf(x, 0, 1), spanOf(x, 4, 5)) },
		"at least 4":             func() error { return hsic.AddBlock(ctx, &Blocks{}, spanOf(x, 0, 3), spanOf(x, 4, 7)) },
		"want pairs":             func() error { return hsic.AddBlock(ctx, &Blocks{}, spanOf(x, 0, 5), spanOf(x, 0, 4)) },
		"no permutation null": func() error {
			return second(MMD[kernel.Vec]{Kernel: k,
				TestSettings: TestSettings{Null: NullPermutation}}.TestBlocks(&Blocks{Count: 1, Rows: 4}))
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// equal points: exchanging changes nothing
	same := mat.NewDense(8, 2, nil)
	all := &Blocks{}
	if err := mmd.AddBlock(ctx, all, spanOf(same, 0, 4), spanOf(same, 4, 8)); err != nil {
		t.Fatal(err)
	}
	for _, null := range []Null{NullGamma, NullNormal} {
		mmd.Null = null
		if r := must(mmd.TestBlocks(all))(t); r.Reject || r.P != 1 {
			t.Errorf("%v: %v", null, r)
		}
	}
}
