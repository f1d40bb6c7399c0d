package stat

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// TestMcNemar holds p-values against sums of binomial terms.
func TestMcNemar(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 1}, {3, 3}, {5, 2}, {0, 12}, {10, 30}, {40, 61}} {
		n, k := c[0]+c[1], min(c[0], c[1])
		sum, term := 0.0, math.Pow(0.5, float64(n))
		for i := 0; i <= k; i++ {
			sum += term
			term *= float64(n-i) / float64(i+1)
		}
		near(t, "tail", must(McNemar(c[0], c[1]))(t), math.Min(1, 2*sum), 1e-12)
	}
	if _, err := McNemar(-1, 2); err == nil {
		t.Error("a negative count is taken")
	}
}

// Under the hypothesis a p-value is at most 5 % in at most 5 % of draws: exactly so for sign flips,
// and less for counts.
func TestPairedLevel(t *testing.T) {
	repeats := 1000
	if testing.Short() {
		repeats = 250
	}
	low, high := binomialInterval(repeats, 0.05)
	flips := rejections(t, repeats, func(rng *rand.Rand, s TestSettings) (bool, error) {
		rng = rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) // neighbouring seeds begin alike
		d := make([]float64, 23)
		for i := range d { // heavy tails, and spreads that differ
			d[i] = rng.NormFloat64() / rng.NormFloat64() * float64(1+i%4)
		}
		return decision(SignFlip{s}.Test(background, d))
	})
	if flips < low || flips > high {
		t.Errorf("sign flips: %d of %d rejected, want %d to %d", flips, repeats, low, high)
	}
	counts := rejections(t, repeats, func(rng *rand.Rand, s TestSettings) (bool, error) {
		a, b := 0, 0
		for range 60 { // both are right in 7 of 10 cases
			first, second := rng.Float64() < 0.7, rng.Float64() < 0.7
			if first && !second {
				a++
			} else if second && !first {
				b++
			}
		}
		p, err := McNemar(a, b)
		return p <= 0.05, err
	})
	if counts > high || counts == 0 {
		t.Errorf("McNemar: %d of %d rejected, want 1 to %d", counts, repeats, high)
	}
}

// Of few differences all signs can be counted: the share of 2^n whose mean is as far from 0.
func TestSignFlipByCounting(t *testing.T) {
	d := []float64{0.3, -0.1, 0.8, 0.5, 0.9, -0.2, 0.4, 0.7, 0, 0.6}
	count, want := 0, 0.0
	for _, v := range d {
		want += v
	}
	for signs := range 1 << len(d) {
		sum := 0.0
		for i, v := range d {
			if signs>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= want-1e-12 {
			count++
		}
	}
	exact := float64(count) / float64(int(1)<<len(d))
	r := must(SignFlip{TestSettings{Permutations: 20000, Seed: 2}}.Test(background, d))(t)
	if math.Abs(r.P-exact) > 4*math.Sqrt(exact/20000) {
		t.Errorf("p is %g, all signs give %g", r.P, exact)
	}
	near(t, "mean", r.Statistic, want/10, 1e-15)
	for _, threads := range datatest.Threads() {
		again := must(SignFlip{TestSettings{Permutations: 20000, Seed: 2, Threads: threads}}.Test(background, d))(t)
		if !reflect.DeepEqual(r, again) {
			t.Errorf("%d threads give another result", threads)
		}
	}
}

func TestSignFlipDegenerate(t *testing.T) {
	for _, d := range [][]float64{nil, {math.NaN()}, {math.Inf(1)}} {
		if _, err := (SignFlip{}).Test(background, d); err == nil {
			t.Errorf("%v is taken", d)
		}
	}
	for _, d := range [][]float64{{0, 0, 0}, {1}} {
		if r := must(SignFlip{}.Test(background, d))(t); r.P != 1 || r.Reject {
			t.Errorf("%v has p = %g", d, r.P)
		}
	}
}
