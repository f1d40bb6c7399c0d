package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar tests whether two classifiers are right equally often, judged by the same rows (Q.
// McNemar, Psychometrika 12, 1947): rows that both get right, or both wrong, say nothing, and of
// the others each is as likely to be won by either. The p-value is the exact two-sided one of the
// binomial distribution with n = onlyFirst + onlySecond and ½, twice the smaller tail; it is at
// most its level at any number of rows.
func McNemar(onlyFirst, onlySecond int) (float64, error) {
	if onlyFirst < 0 || onlySecond < 0 {
		return 0, fault.Errorf("stat", "McNemar: %d and %d rows; want counts", onlyFirst, onlySecond)
	}
	n := onlyFirst + onlySecond
	if n == 0 {
		return 1, nil
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(onlyFirst, onlySecond)))
	return math.Min(1, 2*tail), nil
}

// SignFlip tests whether differences of paired values, such as the losses of two models on the same
// rows, have mean 0: where the two of a pair could change places, a difference is as likely to be
// there with the other sign (R. A. Fisher, The Design of Experiments, 1935). The statistic is
// |mean|, the null all signs drawn anew, and the level is exact at any number of rows. Wilcoxon's
// test of ranks asks about the median of the differences instead, which is not what mean losses are
// compared by, and the corrected t of Nadeau and Bengio is for models fitted again on overlapping
// parts of one set.
type SignFlip struct{ TestSettings }

// Test looks at the differences. Statistic is their mean, with its sign.
func (t SignFlip) Test(ctx context.Context, differences []float64) (*TestResult, error) {
	s, err := t.resolve("sign-flip test", NullPermutation)
	if err != nil {
		return nil, err
	}
	n := len(differences)
	if n == 0 {
		return nil, fault.Errorf("stat", "sign-flip test: no differences")
	}
	size := 0.0
	for i, d := range differences {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return nil, fault.Errorf("stat", "sign-flip test: difference %d is %g", i, d)
		}
		size += math.Abs(d) / float64(n)
	}
	mean := 0.0
	for _, d := range differences {
		mean += d / float64(n)
	}
	r := &TestResult{Test: "sign-flip test of paired differences", Measure: "mean difference", Statistic: math.Abs(mean),
		Sizes: []int{n}}
	draws := make([]float64, s.Permutations)
	err = s.inBatches(ctx, func(lo, hi int) error {
		par.For(s.Threads, hi-lo, 8, func(from, to int) {
			for b := lo + from; b < lo+to; b++ {
				draws[b] = math.Abs(flipped(differences, s, b))
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.sampled(s, draws, 1e-12*size); err != nil {
		return nil, err
	}
	r.Statistic = mean
	return r, nil
}

// flipped is the mean with the signs of draw b.
func flipped(differences []float64, s TestSettings, b int) float64 {
	rng := s.stream(drawPermutation, b)
	sum, bits := 0.0, uint64(0)
	for i, d := range differences {
		if i%64 == 0 {
			bits = rng.Uint64()
		}
		if bits&1 == 1 {
			d = -d
		}
		sum += d
		bits >>= 1
	}
	return sum / float64(len(differences))
}
