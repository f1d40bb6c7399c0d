package stat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// AggregatedMMD tests with several kernels at once and keeps the level
// (A. Schrab, I. Kim, M. Albert, B. Laurent, B. Guedj and A. Gretton, MMD
// aggregated two-sample test, JMLR 24, 2023).
//
// With B₁ permutations kernel λ has the p-value p_λ, and the test is by
// u = min_λ p_λ/w_λ. How small u gets by chance is seen on B₂ further
// permutations, each judged by the same B₁: the p-value is
// (1 + #{u_b ≤ u})/(1 + B₂), and rejecting when it is at most α is MMDAgg with
// its corrected level u_α. Given the points, the data and the B₂ permutations
// are exchangeable under the hypothesis, so the level is exact at any sample
// size. B₁ = B₂ = Permutations.
type AggregatedMMD[T any] struct {
	Kernels []kernel.Kernel[T] // such as GaussianScales
	Shares  []float64          // of the level, one a kernel, sum at most 1; nil means equal
	TestSettings
}

// AggregatedResult is the outcome. Statistic, Measure and Threshold are those
// of the kernel that speaks loudest.
type AggregatedResult struct {
	TestResult
	Best  int            // index of that kernel
	Level float64        // u_α: kernel λ rejects when its own p-value is below Level·w_λ
	Each  []KernelResult // in the order of the kernels
}

// KernelResult is one kernel's part in an aggregated test.
type KernelResult struct {
	Kernel    string
	Share     float64 // of the level
	Statistic float64 // MMD², unbiased
	P         float64 // its p-value were it the only kernel
	Threshold float64 // Statistic has to exceed it for this kernel to reject
	Reject    bool
}

// Test compares the samples.
func (t AggregatedMMD[T]) Test(ctx context.Context, x, y data.Points[T]) (*AggregatedResult, error) {
	s, err := t.resolve("aggregated MMD", NullPermutation)
	if err != nil {
		return nil, err
	}
	weights, err := t.shares()
	if err != nil {
		return nil, err
	}
	b := s.Permutations
	r := &AggregatedResult{Each: make([]KernelResult, len(t.Kernels))}
	r.Test = fmt.Sprintf("MMD two-sample test, %d kernels aggregated", len(t.Kernels))
	first := make([][]float64, len(t.Kernels))
	least := make([]float64, b) // u of the second permutations
	for i := range least {
		least[i] = math.Inf(1)
	}
	second := make([]float64, b)
	u := math.Inf(1)
	for l, k := range t.Kernels {
		if err := checkSamples(k, x, y); err != nil {
			return nil, fmt.Errorf("kernel %d: %w", l, err)
		}
		p, err := newPooled(ctx, k, x, y, s)
		if err != nil {
			return nil, err
		}
		first[l] = make([]float64, b)
		if err := p.permute(ctx, s, drawPermutation, Unbiased, first[l]); err != nil {
			return nil, err
		}
		if err := p.permute(ctx, s, drawLevel, Unbiased, second); err != nil {
			return nil, err
		}
		e := &r.Each[l]
		e.Kernel, e.Share, e.Statistic = describeKernel(k), weights[l], p.statistic(Unbiased, p.observed())
		r.Statistic = e.Statistic
		if err := r.finite(first[l]); err != nil {
			return nil, err
		}
		slices.Sort(first[l])
		e.P = rankP(e.Statistic, first[l], p.tie())
		for i, v := range second {
			least[i] = math.Min(least[i], rankP(v, first[l], p.tie())/weights[l])
		}
		if e.P/weights[l] < u {
			u, r.Best = e.P/weights[l], l
		}
		r.Kernels = append(r.Kernels, e.Kernel)
	}
	t.conclude(r, s, u, least, first)
	r.Sizes = []int{x.Len(), y.Len()}
	return r, nil
}

// conclude compares u with what chance makes of it.
func (t AggregatedMMD[T]) conclude(r *AggregatedResult, s TestSettings, u float64, least []float64, first [][]float64) {
	b := len(least)
	count := 0
	for _, v := range least {
		if v <= u*(1+1e-12) {
			count++
		}
	}
	best := r.Each[r.Best]
	r.TestResult.conclude(s, float64(1+count)/float64(1+b), math.Inf(1))
	r.Statistic, r.Measure = best.Statistic, "MMD² (unbiased) at "+best.Kernel
	r.Permutations, r.Seed, r.Draws = 2*b, s.Seed, first[r.Best]
	slices.Sort(least)
	c := int(math.Floor(s.Alpha*float64(b+1)*(1+1e-12))) - 1
	if c < 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d permutations cannot reject at level %g; at least %d are needed", b, s.Alpha, int(math.Ceil(1/s.Alpha-1e-9))-1))
		c = 0
		r.Level = 0
	} else {
		r.Level = least[min(c, b-1)]
	}
	for l := range r.Each {
		e := &r.Each[l]
		// p-values are k/(B+1): the largest k that is still below the level
		k := int(math.Ceil(r.Level*e.Share*float64(b+1)*(1-1e-12))) - 1
		e.Threshold = math.Inf(1)
		if k >= 1 {
			e.Threshold = first[l][max(0, b-k)]
		}
		e.Reject = e.P < r.Level*e.Share*(1-1e-12)
	}
	r.Threshold = r.Each[r.Best].Threshold
}

// rankP is sampledP for draws in ascending order.
func rankP(statistic float64, ascending []float64, tie float64) float64 {
	at := sort.SearchFloat64s(ascending, statistic-tie)
	return float64(1+len(ascending)-at) / float64(1+len(ascending))
}

func (t AggregatedMMD[T]) shares() ([]float64, error) {
	n := len(t.Kernels)
	if n == 0 {
		return nil, fault.Errorf("stat", "aggregated MMD: no kernels; for vectors GaussianScales makes a collection")
	}
	if t.Shares == nil {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 / float64(n)
		}
		return w, nil
	}
	if len(t.Shares) != n {
		return nil, fault.Errorf("stat", "aggregated MMD: %d kernels but %d shares", n, len(t.Shares))
	}
	sum := 0.0
	for i, w := range t.Shares {
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, fault.Errorf("stat", "aggregated MMD: share %d is %g; want a positive number", i, w)
		}
		sum += w
	}
	if sum > 1+1e-9 {
		return nil, fault.Errorf("stat", "aggregated MMD: the shares sum to %g; want at most 1", sum)
	}
	return t.Shares, nil
}
