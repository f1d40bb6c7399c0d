package stat

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// AggregatedMMD tests with several kernels at once and keeps the level
// (A. Schrab, I. Kim, M. Albert, B. Laurent, B. Guedj and A. Gretton, MMD
// aggregated two-sample test, JMLR 24, 2023).
//
// Kernel λ gives the data and each of B = 2·Permutations permutations a p-value, the share of all
// of them whose statistic is at least as large, and the test is by u = min_λ p_λ/w_λ: its p-value
// is (1 + #{u_b ≤ u})/(1 + B). Given the points, the data and the permutations are exchangeable
// under the hypothesis, and so are the u; the level is exact at any sample size. MMDAgg counts p_λ
// by one half of the permutations and judges u by the other; in one pool (P. Westfall and S. Young,
// Resampling-based multiple testing, 1993) what is larger than all permutations by a kernel has the
// p-value 1/(1 + B), which no permutation can have beside it.
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
	own := AggregatedMMD[any]{eraseAll(t.Kernels), t.Shares, t.TestSettings}
	return testAggregated(ctx, own, data.Erase(x), data.Erase(y))
}

// eraseAll is kernels on points that have lost their type.
func eraseAll[T any](ks []kernel.Kernel[T]) []kernel.Kernel[any] {
	out := make([]kernel.Kernel[any], len(ks))
	for i, k := range ks {
		out[i] = kernel.Erase(k)
	}
	return out
}

func testAggregated(ctx context.Context, t AggregatedMMD[any], x, y data.Points[any]) (*AggregatedResult, error) {
	s, err := t.resolve("aggregated MMD", NullPermutation)
	if err != nil {
		return nil, err
	}
	weights, err := shares("aggregated MMD", len(t.Kernels), t.Shares)
	if err != nil {
		return nil, err
	}
	agg := newAggregate(s, weights)
	agg.result.Test = fmt.Sprintf("MMD two-sample test, %d kernels aggregated", len(t.Kernels))
	for l, k := range t.Kernels {
		if err := checkSamples(k, x, y); err != nil {
			return nil, fmt.Errorf("kernel %d: %w", l, err)
		}
		p, err := newPooled(ctx, k, x, y, s)
		if err != nil {
			return nil, err
		}
		draws := make([]float64, 2*s.Permutations)
		first, second := draws[:s.Permutations], draws[s.Permutations:]
		if err := cmp.Or(p.permute(ctx, s, drawPermutation, Unbiased, first),
			p.permute(ctx, s, drawLevel, Unbiased, second)); err != nil {
			p.close()
			return nil, err
		}
		err = agg.add(describeKernel(k), p.statistic(Unbiased, p.observed()), draws, p.tie())
		p.close()
		if err != nil {
			return nil, err
		}
	}
	r := agg.conclude("MMD² (unbiased)")
	r.Sizes, r.Notes = []int{x.Len(), y.Len()}, append(r.Notes, t.Device.Notes()...)
	return r, nil
}
