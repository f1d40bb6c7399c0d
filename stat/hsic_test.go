package stat

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

func TestDependenceAgainstPlainLoops(t *testing.T) {
	f := loadFixture(t)
	ku, kv, kw := kernel.Gaussian{Lengthscale: f.LU}, kernel.Gaussian{Lengthscale: f.LV},
		kernel.Gaussian{Lengthscale: f.LW}
	u, v, w := rows(f.U), rows(f.V), rows(f.W)
	for _, null := range []Null{NullPermutation, NullGamma, NullSpectral} {
		s := TestSettings{Null: null}
		r := must(HSIC[vec, vec]{KernelX: ku, KernelY: kv, TestSettings: s}.Test(background, u, v))(t)
		near(t, r.Measure, r.Statistic, f.HSICBiased, 1e-12)
		r = must(HSIC[vec, vec]{KernelX: ku, KernelY: kv, Unbiased: true, TestSettings: s}.Test(background, u, v))(t)
		near(t, r.Measure, r.Statistic, f.HSICUnbiased, 1e-12)
		if r.Reject != (r.Statistic > r.Threshold) {
			t.Errorf("%v: threshold %g", r, r.Threshold)
		}
	}
	a, b, c := NewVariable[vec](ku, u), NewVariable[vec](kv, v), NewVariable[vec](kw, w)
	near(t, "dHSIC", must(DHSIC{}.Test(background, a, b, c))(t).Statistic, f.DHSIC, 1e-12)
	near(t, "dHSIC of two", must(DHSIC{}.Test(background, a, b))(t).Statistic, f.HSICBiased, 1e-12)
	for _, d := range []struct {
		m    DependenceMeasure
		vars []Variable
		want float64
	}{
		{COCO, []Variable{a, b}, f.COCO},
		{Correlation, []Variable{a, b}, f.Correlation2},
		{Correlation, []Variable{a, b, c}, f.Correlation3},
		{GeneralisedVariance, []Variable{a, b}, f.KGV2},
		{GeneralisedVariance, []Variable{a, b, c}, f.KGV3},
	} {
		test := Dependence{Measure: d.m, Kappa: f.Kappa, Tolerance: 1e-14}
		near(t, d.m.String(), must(test.Value(context.Background(), d.vars...))(t), d.want, 1e-7)
		near(t, d.m.String(), must(test.Test(background, d.vars...))(t).Statistic, d.want, 1e-7)
	}
}

// The closed form of the moments is the mean over all 720 permutations of six
// points.
func TestPermutedMoments(t *testing.T) {
	f := loadFixture(t)
	grams := func(l float64, v []vec) linalg.Matrix[float64] {
		s, _ := TestSettings{}.resolve("", NullPermutation)
		return must(centredGram(context.Background(), "", kernel.OnVectors(kernel.Gaussian{Lengthscale: l}),
			data.EraseVectors(rows(v[:6])), 2, s))(t)
	}
	mean, variance := permutedMoments(6, invariantsOf(0, grams(f.LU, f.U)), invariantsOf(0, grams(f.LV, f.V)))
	near(t, "mean", mean, f.PermutedMean, 1e-12)
	near(t, "variance", variance, f.PermutedVariance, 1e-10)
}

// The products of low rank and the gathers find one p-value.
func TestHSICLowRankIsExact(t *testing.T) {
	rng := generator(11)
	x, y := normal(rng, 400, 1, 0, 1), normal(rng, 400, 1, 0, 1)
	for i := range 400 {
		y.At(i)[0] += 0.15 * x.At(i)[0]
	}
	for _, unbiased := range []bool{false, true} {
		s, _ := TestSettings{Permutations: 500, Seed: 2}.resolve("", NullPermutation)
		k := must(centredGram(context.Background(), "", kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
			data.EraseVectors(x), 2, s))(t)
		l := must(centredGram(context.Background(), "", kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
			data.EraseVectors(y), 2, s))(t)
		p := newPaired(k, l, unbiased, 0)
		low := p.factor()
		if low == nil {
			t.Fatal("one-dimensional Gaussian Gram matrices are of low rank")
		}
		r := must(testHSIC(background, k, l, unbiased, s, &TestResult{}))(t)
		perm := make([]int32, 400)
		worst, count := 0.0, 0
		for b := range s.Permutations {
			permutation(perm, s.stream(drawPermutation, b))
			want := p.statistic(p.inner(perm), perm)
			worst = math.Max(worst, math.Abs(want-r.Draws[b]))
			if want >= r.Statistic-p.tie() {
				count++
			}
		}
		if worst > low.bound || worst == 0 {
			t.Errorf("largest error %g, bound %g", worst, low.bound)
		}
		if p := float64(1+count) / 501; p != r.P {
			t.Errorf("p = %g by low rank, %g by gathers", r.P, p)
		}
	}
}

// Every draw is the statistic of pairs that were really shuffled.
func TestHSICPermutationsAreShuffles(t *testing.T) {
	rng := generator(12)
	x, y := normal(rng, 30, 2, 0, 1), normal(rng, 30, 2, 0, 1)
	k, l := kernel.Gaussian{Lengthscale: 1}, kernel.Laplace{Lengthscale: 2}
	s, _ := TestSettings{Permutations: 20, Seed: 3}.resolve("", NullPermutation)
	one := TestSettings{Permutations: 1}
	perm := make([]int32, 30)
	for _, unbiased := range []bool{false, true} {
		r := must(HSIC[vec, vec]{KernelX: k, KernelY: l, Unbiased: unbiased, TestSettings: s}.Test(background, x, y))(t)
		d := must(DHSIC{s}.Test(background, NewVariable[vec](k, x), NewVariable[vec](l, y)))(t)
		for b := range s.Permutations {
			permutation(perm, s.stream(drawPermutation, b))
			shuffled := stack(30, func(i int) vec { return y.At(int(perm[i])) })
			again := must(HSIC[vec, vec]{KernelX: k, KernelY: l, Unbiased: unbiased, TestSettings: one}.Test(background, x,
				shuffled))(t)
			near(t, "HSIC draw", r.Draws[b], again.Statistic, 1e-10)
			if !unbiased {
				near(t, "dHSIC draw", d.Draws[b], again.Statistic, 1e-10)
			}
		}
	}
}

func TestHSICNullsAgree(t *testing.T) {
	rng := generator(13)
	x, y := normal(rng, 200, 1, 0, 1), normal(rng, 200, 1, 0, 1)
	for i := range 200 {
		y.At(i)[0] += 0.12 * x.At(i)[0]
	}
	for _, unbiased := range []bool{false, true} {
		var p []float64
		for _, null := range []Null{NullPermutation, NullGamma, NullSpectral} {
			k := kernel.Gaussian{Lengthscale: 1}
			p = append(p, must(HSIC[vec, vec]{KernelX: k, KernelY: k, Unbiased: unbiased,
				TestSettings: TestSettings{Null: null, Permutations: 4000}}.Test(background, x, y))(t).P)
		}
		for _, v := range p[1:] {
			if math.Abs(v-p[0]) > 0.25*p[0]+0.01 {
				t.Errorf("unbiased %v: p-values %v", unbiased, p)
			}
		}
	}
}
