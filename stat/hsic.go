package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// HSIC is the independence test: do pairs (xᵢ, yᵢ) say anything about each
// other? The statistic is the Hilbert–Schmidt independence criterion, the
// squared distance of the embedding of the joint distribution to that of the
// product of its margins,
//
//	HSIC = (1/n²) tr(K̃·L̃),   K̃ = HKH,  L̃ = HLH,
//
// (A. Gretton, O. Bousquet, A. Smola and B. Schölkopf, ALT 2005; A. Gretton et
// al., A kernel statistical test of independence, NIPS 2007) or its unbiased
// estimate (L. Song et al., Feature selection via dependence maximization, JMLR
// 13, 2012, theorem 2). The two variables may be of different types.
//
// Nulls: permutation (the default; exact level), gamma, spectral and, for series, shift.
type HSIC[X, Y any] struct {
	KernelX  kernel.Kernel[X]
	KernelY  kernel.Kernel[Y]
	Unbiased bool
	TestSettings
}

// Test looks for dependence in the pairs (x.At(i), y.At(i)).
func (t HSIC[X, Y]) Test(ctx context.Context, x data.Points[X], y data.Points[Y]) (*TestResult, error) {
	return t.open().test(ctx, data.Erase(x), data.Erase(y))
}

// hsic is an HSIC of points that have lost their types.
type hsic HSIC[any, any]

func (t HSIC[X, Y]) open() hsic {
	return hsic{kernel.Erase(t.KernelX), kernel.Erase(t.KernelY), t.Unbiased, t.TestSettings}
}

func (t hsic) test(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	s, err := t.resolve("HSIC", NullPermutation, NullGamma, NullSpectral, NullShift)
	if err != nil {
		return nil, err
	}
	if length(x) != length(y) {
		return nil, fault.Errorf("stat", "HSIC: %d points x but %d points y; want pairs", length(x), length(y))
	}
	if s, err = s.forSeries("HSIC", length(x), 1); err != nil {
		return nil, err
	}
	least := 2
	if t.Unbiased || s.Null == NullGamma {
		least = 4
	}
	k, err := centredGram(ctx, "HSIC: x", t.KernelX, x, least, s)
	if err != nil {
		return nil, err
	}
	l, err := centredGram(ctx, "HSIC: y", t.KernelY, y, least, s)
	if err != nil {
		return nil, err
	}
	r, err := testHSIC(ctx, k, l, t.Unbiased, s, &TestResult{
		Test:    "HSIC independence test",
		Kernels: []string{describeKernel(t.KernelX), describeKernel(t.KernelY)},
		Notes:   append(doubts(ctx, t.KernelX, t.Threads, x), doubts(ctx, t.KernelY, t.Threads, y)...),
	})
	if err == nil {
		r.Notes = append(r.Notes, s.Device.Notes()...)
	}
	return r, err
}

// testHSIC is the test on centred Gram matrices.
func testHSIC(
	ctx context.Context, k, l linalg.Matrix[float64], unbiased bool, s TestSettings, r *TestResult,
) (*TestResult, error) {
	p := newPaired(k, l, unbiased, s.Threads)
	r.Sizes = []int{p.n()}
	r.Measure = "HSIC (biased)"
	if unbiased {
		r.Measure = "HSIC (unbiased)"
	}
	identity := make([]int32, p.n())
	for i := range identity {
		identity[i] = int32(i)
	}
	observed := p.inner(identity)
	r.Statistic = p.statistic(observed, identity)
	if err := r.finite(nil); err != nil {
		return nil, err
	}
	switch s.Null {
	case NullGamma:
		return r, p.gammaNull(r, s)
	case NullSpectral:
		return r, p.spectralNull(ctx, r, s)
	}
	draws := make([]float64, s.Permutations)
	if err := p.permute(ctx, s, r.Statistic, draws); err != nil {
		return nil, err
	}
	return r, r.sampled(s, draws, p.tie())
}

// centredGram is HKH in memory; what does not fit the byte budget is refused.
func centredGram(
	ctx context.Context, what string, k kernel.Kernel[any], x data.Points[any], least int, s TestSettings,
) (linalg.Matrix[float64], error) {
	if k == nil {
		return linalg.Matrix[float64]{}, fault.Errorf("stat", "%s: no kernel", what)
	}
	if length(x) < least {
		return linalg.Matrix[float64]{}, fault.Errorf("stat", "%s: %d points; want at least %d", what, length(x), least)
	}
	g, err := gram.New(ctx, k, x, gram.Options{Bytes: s.Bytes, Threads: s.Threads, Layout: gram.Full})
	if err != nil {
		return linalg.Matrix[float64]{}, fault.Errorf("stat", "%s: %w", what, err)
	}
	if err := ctx.Err(); err != nil {
		return linalg.Matrix[float64]{}, err
	}
	m := linalg.Matrix[float64](g.(gram.Dense).RawMatrix())
	center(s.Threads, m)
	return m, nil
}

// paired is two centred Gram matrices of the same n points, with what the
// statistic needs: V = Σᵢⱼ K̃ᵢⱼ L̃_{π(i)π(j)} and, unbiased, D = Σᵢ K̃ᵢᵢ L̃_{π(i)π(i)}:
//
//	biased    V/n²
//	unbiased  (V − n/(n−2)·D + tr K̃·tr L̃/((n−1)(n−2)))/(n(n−3)),
//
// which is Song's estimate with K̃ for K; it does not change when f(x) + f(x')
// is added to the kernel, and then the row sums without the diagonal are
// −K̃ᵢᵢ.
type paired struct {
	k, l       linalg.Matrix[float64]
	dk, dl     []float64
	tk, tl     float64 // traces
	large      float64 // product of the largest diagonal entries
	isUnbiased bool
	threads    int
}

func newPaired(k, l linalg.Matrix[float64], unbiased bool, threads int) *paired {
	p := &paired{k: k, l: l, isUnbiased: unbiased, threads: threads}
	var mk, ml float64
	for i := range k.Rows {
		p.dk, p.dl = append(p.dk, k.At(i, i)), append(p.dl, l.At(i, i))
		p.tk, p.tl = p.tk+p.dk[i], p.tl+p.dl[i]
		mk, ml = math.Max(mk, math.Abs(p.dk[i])), math.Max(ml, math.Abs(p.dl[i]))
	}
	p.large = mk * ml
	return p
}

func (p *paired) n() int { return len(p.dk) }

// statistic is the estimate from V and the permutation it was found with.
func (p *paired) statistic(v float64, perm []int32) float64 {
	n := float64(p.n())
	if !p.isUnbiased {
		return v / (n * n)
	}
	d := 0.0
	for i, j := range perm {
		d += p.dk[i] * p.dl[j]
	}
	return (v - n/(n-2)*d + p.tk*p.tl/((n-1)*(n-2))) / (n * (n - 3))
}

// tie is how far apart two equal values may come out: n² terms of at most the
// product of the diagonals.
func (p *paired) tie() float64 { return 1e-13 * p.large / float64(p.n()) }
