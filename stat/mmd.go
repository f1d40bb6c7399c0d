package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// MMD is the two-sample test: are x and y drawn from one distribution?
//
// The statistic is the squared maximum mean discrepancy, estimated in one of
// four ways. With pooled points z = (x, y), weights w = (1/m …, −1/n …) and the
// Gram matrix K of z, the biased estimate is wᵀKw. Exchanging points changes w
// only, so that all permutations together are one product of matrices.
//
// Nulls: Unbiased and Biased offer permutation, gamma and spectral, Linear
// permutation and normal, Block permutation, gamma and normal. Permutation is the
// default and has its level at any sample size.
//
// The kernel must not be chosen by looking at which points are x and which are
// y: MedianKernel looks at the pooled points, SelectByPower at other points than
// are tested, and Aggregated corrects for having looked at many.
type MMD[T any] struct {
	Kernel    kernel.Kernel[T]
	Estimate  MMDEstimate
	BlockSize int // points of each sample in a block of Block; 0 means √n
	TestSettings
}

// MMDEstimate is a way to estimate MMD² from samples.
type MMDEstimate int

// The estimates.
const (
	// Unbiased leaves k(xᵢ, xᵢ) out: the U-statistic, whose mean is MMD².
	Unbiased MMDEstimate = iota
	// Biased is the squared distance of the two empirical embeddings, never
	// negative.
	Biased
	// Linear averages h over disjoint pairs of points: O(n) time, no memory,
	// much less power for the same points (Gretton et al. 2012, section 6).
	Linear
	// Block averages unbiased estimates over disjoint blocks: between Linear
	// and Unbiased in time and in power (W. Zaremba, A. Gretton and
	// M. Blaschko, B-tests, NIPS 2013).
	Block
)

// String names the estimate.
func (e MMDEstimate) String() string {
	if e < Unbiased || e > Block {
		return fmt.Sprintf("MMDEstimate(%d)", int(e))
	}
	return [...]string{"unbiased", "biased", "linear", "block"}[e]
}

// Test compares the samples. They may differ in size; Linear and Block pair the
// points up and use as many of each sample as the smaller one has.
func (t MMD[T]) Test(ctx context.Context, x, y data.Points[T]) (*TestResult, error) {
	return t.open().test(ctx, data.Erase(x), data.Erase(y))
}

// mmd is an MMD of points that have lost their type.
type mmd MMD[any]

func (t MMD[T]) open() mmd {
	return mmd{kernel.Erase(t.Kernel), t.Estimate, t.BlockSize, t.TestSettings}
}

func (t mmd) test(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	if err := checkSamples(t.Kernel, x, y); err != nil {
		return nil, err
	}
	r, err := t.estimate(ctx, x, y)
	if err == nil {
		r.Notes = append(append(r.Notes, doubts(ctx, t.Kernel, t.Threads, x, y)...), t.Device.Notes()...)
	}
	return r, err
}

func (t mmd) estimate(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	switch t.Estimate {
	case Unbiased, Biased:
		return t.quadratic(ctx, x, y)
	case Linear:
		return t.linear(ctx, x, y)
	case Block:
		return t.block(ctx, x, y)
	}
	return nil, fault.Errorf("stat", "MMD: unknown estimate %d", int(t.Estimate))
}

func (t mmd) result(m, n int) *TestResult {
	return &TestResult{
		Test:    "MMD two-sample test",
		Measure: fmt.Sprintf("MMD² (%v)", t.Estimate),
		Sizes:   []int{m, n},
		Kernels: []string{describeKernel(t.Kernel)},
	}
}

func (t mmd) quadratic(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	s, err := t.resolve("MMD", NullPermutation, NullGamma, NullSpectral)
	if err != nil {
		return nil, err
	}
	p, err := newPooled(ctx, t.Kernel, x, y, s)
	if err != nil {
		return nil, err
	}
	defer p.close()
	r := t.result(p.m, p.n)
	r.Statistic = p.statistic(t.Estimate, p.observed())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.finite(nil); err != nil {
		return nil, err
	}
	switch s.Null {
	case NullGamma:
		return r, p.gammaNull(r, t.Estimate, s)
	case NullSpectral:
		return r, p.spectralNull(ctx, r, t.Estimate, s)
	}
	draws := make([]float64, s.Permutations)
	if err := p.permute(ctx, s, drawPermutation, t.Estimate, draws); err != nil {
		return nil, err
	}
	return r, r.sampled(s, draws, p.tie())
}

func checkSamples(k kernel.Kernel[any], x, y data.Points[any]) error {
	if k == nil {
		return fault.Errorf("stat", "MMD: no kernel; for vectors MedianKernel chooses one")
	}
	if x == nil || y == nil || x.Len() < 2 || y.Len() < 2 {
		return fault.Errorf("stat", "MMD: samples of %d and %d points; want at least 2 in each", length(x), length(y))
	}
	if err := kernel.CheckPair(k, x, y); err != nil {
		return fault.Errorf("stat", "MMD: %w", err)
	}
	return nil
}

func length[T any](x data.Points[T]) int {
	if x == nil {
		return 0
	}
	return x.Len()
}

// pool is x followed by y, as a matrix where the points are vectors, so that
// fast paths see one.
func pool(x, y data.Points[any]) data.Points[any] {
	first, vectors := data.VectorsOf(x)
	second, also := data.VectorsOf(y)
	if !vectors || !also {
		return data.JoinPoints([]data.Points[any]{x, y})
	}
	return data.EraseVectors(pooledVectors(first, second))
}

func pooledVectors(x, y data.Points[kernel.Vec]) data.DenseRows {
	m := x.Len()
	return stack(m+y.Len(), func(i int) kernel.Vec {
		if i < m {
			return x.At(i)
		}
		return y.At(i - m)
	})
}

// tie is how far two values of the statistic may be apart by rounding alone:
// the sum of m² entries errs by about eps·m times the largest.
func (p *pooled) tie() float64 {
	return 1e-13 * p.largest * (1/float64(p.m) + 1/float64(p.n))
}

// statistic is the estimate e from A = sᵀK̃s and d = Σ sᵢK̃ᵢᵢ; see pooled.
func (p *pooled) statistic(e MMDEstimate, f form) float64 {
	m, n := float64(p.m), float64(p.n)
	if e == Biased {
		return math.Max(0, f.a*(1/m+1/n)*(1/m+1/n))
	}
	return (f.a-f.d)/(m*(m-1)) + (f.a-(p.trace-f.d))/(n*(n-1)) + 2*f.a/(m*n)
}
