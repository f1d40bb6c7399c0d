package stat

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// AggregatedHSIC tests independence with every pair of a kernel on x and a kernel on y at once and
// keeps the level (A. Schrab, I. Kim, B. Guedj and A. Gretton, Efficient aggregated kernel tests
// using incomplete U-statistics, NeurIPS 2022; here the statistics are complete, and unbiased). The
// p-values of the pairs are put together as AggregatedMMD does: u = min p_λ/w_λ in one pool of the
// data and the permutations of y against x. Given the points, these are exchangeable under the
// hypothesis, so the level is exact at any sample size. Nulls: permutation and shift.
type AggregatedHSIC[X, Y any] struct {
	KernelsX []kernel.Kernel[X] // such as GaussianScales(x, x, 5)
	KernelsY []kernel.Kernel[Y]
	Shares   []float64 // of the level, one a pair, those of the first kernel on x first; sum at most 1; nil means equal
	TestSettings
}

// Test looks for dependence in the pairs (x.At(i), y.At(i)). Statistic is the unbiased HSIC of the
// pair of kernels that speaks loudest.
func (t AggregatedHSIC[X, Y]) Test(ctx context.Context, x data.Points[X], y data.Points[Y]) (*AggregatedResult, error) {
	own := AggregatedHSIC[any, any]{eraseAll(t.KernelsX), eraseAll(t.KernelsY), t.Shares, t.TestSettings}
	return testAggregatedHSIC(ctx, own, data.Erase(x), data.Erase(y))
}

func testAggregatedHSIC(
	ctx context.Context, t AggregatedHSIC[any, any], x, y data.Points[any],
) (*AggregatedResult, error) {
	const test = "aggregated HSIC"
	s, err := t.resolve(test, NullPermutation, NullShift)
	if err != nil {
		return nil, err
	}
	weights, err := shares(test, len(t.KernelsX)*len(t.KernelsY), t.Shares)
	if err != nil {
		return nil, err
	}
	if length(x) != length(y) {
		return nil, fault.Errorf("stat", "%s: %d points x but %d points y; want pairs", test, length(x), length(y))
	}
	if s, err = s.forSeries(test, length(x), 2); err != nil {
		return nil, err
	}
	grams := make([]linalg.Matrix[float64], len(t.KernelsY))
	for j, l := range t.KernelsY {
		if grams[j], err = centredGram(ctx, fmt.Sprintf("%s: y, kernel %d", test, j), l, y, 4, s); err != nil {
			return nil, err
		}
	}
	agg := newAggregate(s, weights)
	agg.result.Test = fmt.Sprintf("HSIC independence test, %d×%d kernels aggregated", len(t.KernelsX), len(t.KernelsY))
	for i, k := range t.KernelsX {
		g, err := centredGram(ctx, fmt.Sprintf("%s: x, kernel %d", test, i), k, x, 4, s)
		if err != nil {
			return nil, err
		}
		for j, l := range t.KernelsY {
			p := newPaired(g, grams[j], true, s.Threads)
			draws := make([]float64, 2*s.Permutations)
			observed, err := p.permuteAlike(ctx, s, draws[:s.Permutations], draws[s.Permutations:])
			if err != nil {
				return nil, err
			}
			if err := agg.add(describeKernel(k)+" and "+describeKernel(l), observed, draws, p.tie()); err != nil {
				return nil, err
			}
		}
	}
	r := agg.conclude("HSIC (unbiased)")
	r.Sizes, r.Notes = []int{length(x)}, append(r.Notes, s.Device.Notes()...)
	return r, nil
}

// permuteAlike sets first and second to the statistic of the permutations of both purposes and
// returns it for the data, all computed in one way: what an approximation of low rank makes of them
// is exchangeable where they are.
func (p *paired) permuteAlike(
	ctx context.Context, s TestSettings, first, second []float64,
) (observed float64, err error) {
	n := p.n()
	on := gram.NewPermutedSums(s.Device, linalg.Dense(p.k), linalg.Dense(p.l), 2*s.Permutations)
	defer on.Close()
	var low *lowRank
	if on == nil { // what the device leaves unfinished is gathers, which are the same to rounding
		low = p.factor()
	}
	inners := func(perms []int32, v []float64) error {
		if on.Sums(perms, v) {
			return ctx.Err()
		}
		if low != nil {
			return low.inners(ctx, perms, v)
		}
		p.inners(ctx, perms, v)
		return ctx.Err()
	}
	identity, one := make([]int32, n), make([]float64, 1)
	for i := range identity {
		identity[i] = int32(i)
	}
	if err := inners(identity, one); err != nil {
		return 0, err
	}
	perms := make([]int32, min(permutationBatch, s.Permutations)*n)
	v := make([]float64, permutationBatch)
	for i, draws := range [][]float64{first, second} {
		purpose := []int{drawPermutation, drawLevel}[i]
		err := s.inBatches(ctx, func(lo, hi int) error {
			perm := func(b int) []int32 { return perms[(b-lo)*n : (b-lo+1)*n] }
			par.For(s.Threads, hi-lo, 8, func(from, to int) {
				for b := lo + from; b < lo+to; b++ {
					s.arrange(perm(b), purpose, b)
				}
			})
			if err := inners(perms[:(hi-lo)*n], v[:hi-lo]); err != nil {
				return err
			}
			for b := lo; b < hi; b++ {
				draws[b] = p.statistic(v[b-lo], perm(b))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return p.statistic(one[0], identity), nil
}
