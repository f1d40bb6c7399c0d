package discrete_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
)

// permutations lists all orders of n items as places.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

// agreeing are the permutations in which no item is before one that the ranking has above it.
func agreeing(r discrete.Ranking) (out [][]int) {
	for _, p := range permutations(len(r)) {
		fits := true
		for i := range r {
			for j := range r {
				if r[i] >= 0 && r[j] >= 0 && r[i] < r[j] && p[i] > p[j] {
					fits = false
				}
			}
		}
		if fits {
			out = append(out, p)
		}
	}
	return out
}

func sign(v int) int {
	if v < 0 {
		return -1
	}
	return min(v, 1)
}

func tau(p, q []int) (alike, apart int) {
	for i := range p {
		for j := range i {
			switch sign(p[i]-p[j]) * sign(q[i]-q[j]) {
			case 1:
				alike++
			case -1:
				apart++
			}
		}
	}
	return alike, apart
}

// meanOver is the convolution, by all permutations that agree with both rankings.
func meanOver(f func(p, q []int) float64) func(x, y discrete.Ranking) float64 {
	return func(x, y discrete.Ranking) float64 {
		sum, n := 0.0, 0.0
		for _, p := range agreeing(x) {
			for _, q := range agreeing(y) {
				sum += f(p, q)
				n++
			}
		}
		return sum / n
	}
}

// openRankings of five items: permutations, the best two, ties, three items anywhere, ties and
// items anywhere, nothing at all.
var openRankings = data.Slice[discrete.Ranking]{{0, 1, 2, 3, 4}, {3, 0, 4, 1, 2}, {2, 2, 0, 1, 2}, {1, 0, 0, 1, 2},
	{-1, 0, -1, 2, 1}, {2, -1, 1, -1, 0},
	{0, -1, 0, 1, -1}, {-1, -1, 0, -1, -1}, {-1, 1, 1, 0, 1}, {0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}, {1, -1, 0, -1, -1}}

func TestRankingsByAllPermutations(t *testing.T) {
	against(t, kernel.Kernel[discrete.Ranking](discrete.Kendall{}), openRankings, 1e-12,
		meanOver(func(p, q []int) float64 {
			c, d := tau(p, q)
			return float64(c-d) / 10
		}))
	against(t, kernel.Kernel[discrete.Ranking](discrete.Spearman{}), openRankings, 1e-12,
		meanOver(func(p, q []int) float64 {
			s := 0.0
			for i := range p {
				s += float64(p[i]-2) * float64(q[i]-2)
			}
			return s / 10 // 5·24/12
		}))
	mallows := func(p, q []int) float64 {
		_, d := tau(p, q)
		return math.Exp(-0.3 * float64(d))
	}
	against(t, kernel.Kernel[discrete.Ranking](discrete.Mallows{Rate: 0.3}), openRankings[:2], 1e-12, meanOver(mallows))
	against(t, kernel.Kernel[discrete.Ranking](discrete.MallowsMean{Rate: 0.3, Seed: 4}), openRankings[:2], 1e-12,
		meanOver(mallows))
	// The estimate from 2·150 permutations: 1/√300 of a standard deviation that is below 0.5.
	against(t, kernel.Kernel[discrete.Ranking](discrete.MallowsMean{Rate: 0.3, Pairs: 150, Seed: 4}), openRankings[2:5],
		3e-2, meanOver(mallows))
}

// Mirrored pairs of permutations are right on the mean for what is linear in the order of open
// pairs: an even number of them makes the mean of a tie exactly 0. Seen through Mallows at a small
// rate, 1 - λ·n_d.
func TestMirroredPermutationsAreExactAtFirstOrder(t *testing.T) {
	tie, order := discrete.Ranking{1, 1, 0, 1, 1}, discrete.Ranking{4, 1, 0, 2, 3}
	const rate = 1e-6
	got := discrete.MallowsMean{Rate: rate, Pairs: 1}.Eval(tie, order)
	want := meanOver(func(p, q []int) float64 { _, d := tau(p, q); return math.Exp(-rate * float64(d)) })(tie, order)
	if math.Abs(got-want) > 1e-10 {
		t.Errorf("%.12f, want %.12f: an error of first order would be about 1e-6", got, want)
	}
}

// Long rankings with ties and gaps against the double loop over pairs of items.
func TestKendallManyItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	random := func(places int, unranked float64) discrete.Ranking {
		score := make([]float64, 57)
		for i := range score {
			if score[i] = float64(rng.IntN(places)); rng.Float64() < unranked {
				score[i] = math.NaN()
			}
		}
		return discrete.ByScore(score)
	}
	phi := func(r discrete.Ranking, i, j int) float64 {
		k, better, tied := 0, 0, 0 // of the ranked item
		one, turned := i, 1.0
		if r[i] < 0 {
			one, turned = j, -1
		}
		for _, p := range r {
			if p >= 0 {
				k++
				if p < r[one] {
					better++
				} else if p == r[one] {
					tied++
				}
			}
		}
		switch {
		case r[i] >= 0 && r[j] >= 0:
			return float64(-sign(r[i] - r[j]))
		case r[i] < 0 && r[j] < 0:
			return 0
		}
		mean := float64(better) + float64(tied+1)/2
		return turned * (float64(k+1) - 2*mean) / float64(k+1)
	}
	x := data.Slice[discrete.Ranking]{random(1000, 0), random(1000, 0), random(10, 0), random(5, 0.3), random(1000, 0.6),
		random(2, 0.5), random(1, 0.9)}
	against(t, kernel.Kernel[discrete.Ranking](discrete.Kendall{}), x, 1e-12, func(a, b discrete.Ranking) float64 {
		s := 0.0
		for i := range a {
			for j := range i {
				s += phi(a, i, j) * phi(b, i, j)
			}
		}
		return s / (57 * 56 / 2)
	})
}

// The examples of scipy.stats.kendalltau and spearmanr in their documentation: τ_b and ρ are the
// normalised kernels.
func TestPublishedCorrelations(t *testing.T) {
	a, b := discrete.ByScore([]float64{12, 2, 1, 12, 2}), discrete.ByScore([]float64{1, 4, 7, 1, 0})
	if got := kernel.Normalize[discrete.Ranking](discrete.Kendall{}).Eval(a,
		b); math.Abs(got - -0.47140452079103173) > 1e-15 {
		t.Errorf("τ_b = %v", got)
	}
	a, b = discrete.ByScore([]float64{1, 2, 3, 4, 5}), discrete.ByScore([]float64{5, 6, 7, 8, 7})
	if got := kernel.Normalize[discrete.Ranking](discrete.Spearman{}).Eval(a,
		b); math.Abs(got-0.8207826816681233) > 1e-15 {
		t.Errorf("ρ = %v", got)
	}
}

func TestRankingKernelsConform(t *testing.T) {
	for _, k := range []kernel.Kernel[discrete.Ranking]{discrete.Kendall{}, discrete.Mallows{Rate: 0.2},
		discrete.MallowsMean{Rate: 0.2, Pairs: 2}, discrete.Spearman{}} {
		kerneltest.Run(t, k, kerneltest.Options[discrete.Ranking]{Points: openRankings})
		kerneltest.Run(t, kernel.Normalize(k), kerneltest.Options[discrete.Ranking]{Points: openRankings[:9]})
	}
	var all data.Slice[discrete.Ranking]
	for _, p := range permutations(4) {
		all = append(all, p)
	}
	kerneltest.Run(t, kernel.Kernel[discrete.Ranking](discrete.Mallows{}),
		kerneltest.Options[discrete.Ranking]{Points: all})
}

func TestRefusedRankings(t *testing.T) {
	check := func(rows ...discrete.Ranking) error {
		return kernel.Check[discrete.Ranking](discrete.Kendall{}, data.Slice[discrete.Ranking](rows))
	}
	_, twice := discrete.Permutation([]int{0, 2, 2})
	_, outside := discrete.TopK([]int{1, 5}, 4)
	_, few := discrete.Partial([]int{1, 0}, 1)
	for want, err := range map[string]error{
		"row 1, item 0 has place -2":               check(discrete.Ranking{0, 1}, discrete.Ranking{-2, 0}),
		"row 0, item 1 has place 2, want 0 to 1":   check(discrete.Ranking{0, 2}),
		"row 0: no item has place 0":               check(discrete.Ranking{1, 2, 1}),
		"row 1 ranks 2 items, row 0 ranks 3":       check(discrete.Ranking{0, 1, 2}, discrete.Ranking{0, 1}),
		"position 2: item 2 is at position 1":      twice,
		"position 1 is item 5":                     outside,
		"position 0 is item 1":                     few,
		"mallows: rate = -1":                       discrete.Mallows{Rate: -1}.Validate(),
		"mallowsmean: pairs = -1":                  discrete.MallowsMean{Pairs: -1}.Validate(),
		"mallowsmean: rate = NaN":                  discrete.MallowsMean{Rate: math.NaN()}.Validate(),
		"mallows: row 0, item 0 has place 3":       discrete.Mallows{}.CheckPoints(data.Slice[discrete.Ranking]{{3}}),
		"spearman: row 0, item 0 has place 3":      discrete.Spearman{}.CheckPoints(data.Slice[discrete.Ranking]{{3}}),
		"mallowsmean: row 0, item 0 has place 100": discrete.MallowsMean{}.CheckPoints(data.Slice[discrete.Ranking]{{100}}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, k := range []kernel.Kernel[discrete.Ranking]{discrete.Kendall{}, discrete.Mallows{}, discrete.Spearman{},
		discrete.MallowsMean{}} {
		for _, r := range []discrete.Ranking{{}, {0}, {-1}} {
			if v := k.Eval(r, r); v != 1 {
				t.Errorf("%T: k(%v, %v) = %v, want 1", k, r, r, v)
			}
		}
	}
}
