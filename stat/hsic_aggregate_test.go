package stat

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
)

// aggregatedDecision tests with count widths of each side.
func aggregatedDecision(x, y data.Points[vec], count int, s TestSettings) (bool, error) {
	kx, err := GaussianWidths(x, count)
	if err != nil {
		return false, err
	}
	ky, err := GaussianWidths(y, count)
	if err != nil {
		return false, err
	}
	r, err := AggregatedHSIC[vec, vec]{KernelsX: kx, KernelsY: ky, TestSettings: s}.Test(background, x, y)
	return err == nil && r.Reject, err
}

// songHSIC is the unbiased estimate by its own formula (Song et al. 2012, eq. 4) on matrices
// without diagonal.
func songHSIC(k, l kernel.Kernel[vec], x, y data.Points[vec], perm []int32) float64 {
	n := x.Len()
	kk := func(i, j int) float64 {
		if i == j {
			return 0
		}
		return k.Eval(x.At(i), x.At(j))
	}
	ll := func(i, j int) float64 {
		if i == j {
			return 0
		}
		return l.Eval(y.At(int(perm[i])), y.At(int(perm[j])))
	}
	var trace, sk, sl, cross float64
	for i := range n {
		var rk, rl float64
		for j := range n {
			trace += kk(i, j) * ll(j, i)
			rk, rl = rk+kk(i, j), rl+ll(i, j)
		}
		sk, sl, cross = sk+rk, sl+rl, cross+rk*rl
	}
	m := float64(n)
	return (trace + sk*sl/((m-1)*(m-2)) - 2/(m-2)*cross) / (m * (m - 3))
}

// The whole procedure by its definition: every statistic by a double loop, every p-value by
// counting in the pool of the data and all permutations, u compared with that of each permutation.
func TestAggregatedHSICByCounting(t *testing.T) {
	for _, dependent := range []bool{false, true} {
		rng := generator(3)
		x := normal(rng, 14, 1, 0, 1)
		y := normal(rng, 14, 1, 0, 1)
		if dependent {
			for i := range y.Len() {
				y.At(i)[0] = x.At(i)[0]*x.At(i)[0] + 0.1*y.At(i)[0]
			}
		}
		kx, ky := must(GaussianWidths(x, 3))(t), must(GaussianWidths(y, 2))(t)
		s := TestSettings{Seed: 5, Permutations: 60, Alpha: 0.1}
		got := must(AggregatedHSIC[vec, vec]{KernelsX: kx, KernelsY: ky, TestSettings: s}.Test(background, x, y))(t)
		identity := make([]int32, x.Len())
		for i := range identity {
			identity[i] = int32(i)
		}
		pool := [][]int32{identity}
		for _, purpose := range []int{drawPermutation, drawLevel} {
			for b := range s.Permutations {
				p := make([]int32, x.Len())
				permutation(p, s.stream(purpose, b))
				pool = append(pool, p)
			}
		}
		least := slices.Repeat([]float64{math.Inf(1)}, len(pool))
		for i, k := range kx {
			for j, l := range ky {
				v := make([]float64, len(pool))
				for b, perm := range pool {
					v[b] = songHSIC(k, l, x, y, perm)
				}
				each := got.Each[i*len(ky)+j]
				if math.Abs(each.Statistic-v[0]) > 1e-14 {
					t.Errorf("pair %d, %d: HSIC %g, want %g", i, j, each.Statistic, v[0])
				}
				for b := range pool {
					count := 0.0
					for _, w := range v {
						if w >= v[b]-1e-14 {
							count++
						}
					}
					p := count / float64(len(pool))
					if b == 0 && math.Abs(each.P-p) > 1e-12 {
						t.Errorf("pair %d, %d: p is %g, want %g", i, j, each.P, p)
					}
					least[b] = math.Min(least[b], p)
				}
			}
		}
		count := 0.0
		for _, v := range least {
			if v <= least[0]+1e-12 {
				count++
			}
		}
		if want := count / float64(len(pool)); got.P != want || got.Reject != (want <= 0.1) || dependent && !got.Reject {
			t.Errorf("dependent %v: p is %g, want %g; rejected: %v", dependent, got.P, want, got.Reject)
		}
	}
}

// What is larger than all permutations by every kernel has the least p-value there is. With
// p-values counted by one half and judged by the other, permutations that were larger than all of
// the first half tied with it: dependence beyond any doubt had p = 0.013 with 300 permutations.
func TestAggregatedBeyondDoubt(t *testing.T) {
	rng := generator(4)
	x, y := normal(rng, 60, 1, 0, 1), normal(rng, 60, 1, 0, 1)
	for i := range y.Len() {
		y.At(i)[0] = x.At(i)[0] + 0.05*y.At(i)[0]
	}
	s := TestSettings{Seed: 1, Permutations: 99}
	r := must(AggregatedHSIC[vec, vec]{KernelsX: must(GaussianWidths(x, 3))(t), KernelsY: must(GaussianWidths(y, 3))(t),
		TestSettings: s}.Test(background, x, y))(t)
	if want := 1.0 / 199; r.P != want {
		t.Errorf("p = %g, want %g", r.P, want)
	}
	far := normal(rng, 60, 1, 5, 1)
	m := must(AggregatedMMD[vec]{Kernels: must(GaussianScales(x, far, 10))(t), TestSettings: s}.Test(background, x,
		far))(t)
	if want := 1.0 / 199; m.P != want || !m.Each[m.Best].Reject {
		t.Errorf("p = %g, want %g (%+v)", m.P, want, m.Each[m.Best])
	}
}

func TestAggregatedHSICAtAnyThreads(t *testing.T) {
	rng := generator(8)
	x, y := normal(rng, 150, 1, 0, 1), normal(rng, 150, 1, 0, 1) // enough for factors of low rank
	kx, ky := must(GaussianWidths(x, 2))(t), must(GaussianWidths(y, 2))(t)
	var one *AggregatedResult
	for _, threads := range datatest.Threads() {
		r := must(AggregatedHSIC[vec, vec]{KernelsX: kx, KernelsY: ky,
			TestSettings: TestSettings{Permutations: 50, Threads: threads}}.Test(background, x, y))(t)
		if one == nil {
			one = r
		} else if !reflect.DeepEqual(r, one) {
			t.Errorf("%d threads give %v, one gives %v", threads, r.P, one.P)
		}
	}
}

func TestAggregatedHSICRefuses(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(1, 1)), 10, 1, 0, 1)
	k := []kernel.Kernel[vec]{kernel.Gaussian{Lengthscale: 1}}
	for name, c := range map[string]struct {
		test AggregatedHSIC[vec, vec]
		y    data.Points[vec]
	}{
		"no kernels":   {AggregatedHSIC[vec, vec]{KernelsX: k}, x},
		"shares":       {AggregatedHSIC[vec, vec]{KernelsX: k, KernelsY: k, Shares: []float64{2}}, x},
		"no pairs":     {AggregatedHSIC[vec, vec]{KernelsX: k, KernelsY: k}, normal(rand.New(rand.NewPCG(1, 1)), 9, 1, 0, 1)},
		"another null": {AggregatedHSIC[vec, vec]{KernelsX: k, KernelsY: k, TestSettings: TestSettings{Null: NullGamma}}, x},
	} {
		if _, err := c.test.Test(background, x, c.y); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (AggregatedHSIC[vec, vec]{KernelsX: k, KernelsY: k}).Test(background,
		normal(rand.New(rand.NewPCG(1, 1)), 3, 1, 0, 1), normal(rand.New(rand.NewPCG(1, 1)), 3, 1, 0, 1)); err == nil {
		t.Error("three pairs have an unbiased estimate")
	}
	if _, err := GaussianWidths(data.Slice[vec]{{1}, {1}}, 3); err == nil {
		t.Error("points that do not differ have a width")
	}
}
