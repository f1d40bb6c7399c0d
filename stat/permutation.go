package stat

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/trace"
)

// TestSettings are what every test has in common. The zero value means 1000
// permutations, level 5 %, seed 0.
type TestSettings struct {
	Null         Null    // distribution of the statistic under the hypothesis; NullAuto means the test's own default
	Permutations int     // draws from the null when it is sampled; 0 means 1000
	Alpha        float64 // level; 0 means 0.05
	Seed         uint64  // same seed, same result to the bit, at any number of threads
	Threads      int     // 0 means GOMAXPROCS
	Bytes        int64   // byte budget for Gram matrices; 0 means a quarter of the machine's memory
	// Device makes the sums of MMD and HSIC where that is worth the while (gram.OpenDevice); nil
	// means processors alone. Results then differ in their last bits.
	Device *gram.Device
	Trace  trace.Func // told of every batch of permutations: Iteration is how many are done

	shifts int // that are drawn in all; see forSeries
}

// Null is a way to know how the statistic is distributed when there is nothing
// to find.
type Null int

// The nulls. Which of them a test offers is said there.
const (
	NullAuto        Null = iota
	NullPermutation      // exchange the points: exact level at any sample size
	NullGamma            // the gamma distribution with the mean and variance that all permutations together have
	NullSpectral         // Σ λᵢ zᵢ² with the eigenvalues of the centred Gram matrix, the limit for large samples
	NullNormal           // the central limit theorem, for averages of independent terms
	// NullShift shifts one series against the other, round its end, by a tenth of the length or
	// more: for rows that follow each other in time and depend on those before, which exchanging
	// them would not keep (K. Chwialkowski and A. Gretton, A kernel independence test for random
	// processes, ICML 2014). Its level is that of long stationary series.
	NullShift
)

// String names the null.
func (n Null) String() string {
	if n < NullAuto || n > NullShift {
		return fmt.Sprintf("Null(%d)", int(n))
	}
	return [...]string{"auto", "permutation", "gamma", "spectral", "normal", "shift"}[n]
}

// resolve fills the defaults in, and refuses what makes no sense; the first
// of the nulls offered is the default.
func (s TestSettings) resolve(test string, offered ...Null) (TestSettings, error) {
	if s.Permutations == 0 {
		s.Permutations = 1000
	}
	if s.Alpha == 0 {
		s.Alpha = 0.05
	}
	if s.Permutations < 1 {
		return s, fault.Errorf("stat", "%s: %d permutations; want at least 1", test, s.Permutations)
	}
	if !(s.Alpha > 0 && s.Alpha < 1) {
		return s, fault.Errorf("stat", "%s: level alpha = %g; want between 0 and 1, such as 0.05", test, s.Alpha)
	}
	if s.Bytes < 0 {
		return s, fault.Errorf("stat", "%s: byte budget %d is negative", test, s.Bytes)
	}
	if s.Null == NullAuto {
		s.Null = offered[0]
	}
	if !slices.Contains(offered, s.Null) {
		return s, fault.Errorf("stat", "%s has no %v null; it offers %v", test, s.Null, offered)
	}
	return s, nil
}

// Every permutation has a random stream of its own, numbered by its position,
// so that it does not matter which goroutine draws it.
func (s TestSettings) stream(purpose, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, uint64(purpose)<<40|uint64(draw)))
}

// Purposes keep the streams of one test apart.
const (
	drawPermutation = iota + 1
	drawLevel
	drawSpectral
	drawSplit
)

// permutation fills dst with a random permutation of 0 … len(dst)-1.
func permutation(dst []int32, rng *rand.Rand) {
	for i := range dst {
		dst[i] = int32(i)
	}
	for i := len(dst) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		dst[i], dst[j] = dst[j], dst[i]
	}
}

// subset marks a random choice of size out of len(dst) places with 1, the
// others with 0: the first size steps of a Fisher–Yates shuffle of work.
func subset(dst []float64, stride, n, size int, work []int32, rng *rand.Rand) {
	for i := range n {
		work[i] = int32(i)
		dst[i*stride] = 0
	}
	for i := range size {
		j := i + rng.IntN(n-i)
		work[i], work[j] = work[j], work[i]
		dst[int(work[i])*stride] = 1
	}
}

// permutationBatch is how many permutations are evaluated between two looks at
// the context.
const permutationBatch = 256

// inBatches calls f on consecutive ranges of the draws 0 … s.Permutations-1.
func (s TestSettings) inBatches(ctx context.Context, f func(lo, hi int) error) error {
	for lo := 0; lo < s.Permutations; lo += permutationBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+permutationBatch, s.Permutations)
		if err := f(lo, hi); err != nil {
			return err
		}
		s.Trace.Report(trace.Step{Iteration: hi, Objective: math.NaN(), Residual: math.NaN()})
	}
	return ctx.Err()
}

// sampledP is the p-value (1 + #{draws ≥ statistic})/(1 + draws), which has
// its level exactly when statistic and draws are exchangeable (B. Phipson and
// G. Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010). Draws that fall short of the
// statistic by no more than tie, a bound of the rounding, count as equal.
func sampledP(statistic float64, draws []float64, tie float64) float64 {
	count := 0
	for _, d := range draws {
		if d >= statistic-tie {
			count++
		}
	}
	return float64(1+count) / float64(1+len(draws))
}

// sampledThreshold is the value the statistic has to exceed for sampledP to be
// at most alpha; +Inf where so few draws cannot reject at that level.
func sampledThreshold(draws []float64, alpha float64) float64 {
	c := int(math.Floor(alpha*float64(len(draws)+1)*(1+1e-12))) - 1 // draws that may be as large
	if c < 0 {
		return math.Inf(1)
	}
	sorted := slices.Clone(draws)
	slices.Sort(sorted)
	if c >= len(sorted) {
		return math.Inf(-1)
	}
	return sorted[len(sorted)-1-c]
}
