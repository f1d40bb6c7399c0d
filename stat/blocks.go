package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Blocks is all that a test on disjoint blocks of rows has to know of them: MMD of W. Zaremba, A.
// Gretton and M. Blaschko (B-tests, NIPS 2013), HSIC of Q. Zhang, S. Filippi, A. Gretton and D.
// Sejdinovic (Large-scale kernel methods for independence testing, Statistics and Computing 28,
// 2018). A block is as large as its Gram matrix may be, and rows of any number, wherever they lie,
// are gone through once: Blocks of parts of them are merged.
//
// Under the hypothesis rows may be exchanged within a block, and the mean and variance of its
// statistic over all exchanges are known in closed form. They add up over blocks, and the mean of
// many is next to normal. (Both papers take the variance from the scatter of the blocks, or from
// drawn exchanges; see blockNull.)
type Blocks struct {
	Count    int     // of blocks
	Rows     int     // in them; of each sample where there are two
	Sum      float64 // of their statistics
	Mean     float64 // of the sum over exchanges, Shift apart
	Variance float64
	Shift    float64
	Tie      float64 // how far apart equal statistics may come out
}

// Merge takes in the blocks of other rows.
func (b *Blocks) Merge(o *Blocks) {
	b.Count += o.Count
	b.Rows += o.Rows
	b.Sum += o.Sum
	b.Mean += o.Mean
	b.Variance += o.Variance
	b.Shift += o.Shift
	b.Tie = math.Max(b.Tie, o.Tie)
}

// add takes a block in: its statistic, and the line slope·V + offset that it is of V with known
// moments.
func (b *Blocks) add(rows int, statistic, slope, offset, mean, variance, tie float64) {
	b.Merge(&Blocks{1, rows, statistic, slope * mean, slope * slope * variance, offset, tie})
}

func (b *Blocks) addPooled(p *pooled) {
	slope, offset := p.line(Unbiased)
	mean, variance := p.moments()
	b.add(p.m, p.statistic(Unbiased, p.observed()), slope, offset, mean, variance, p.tie())
}

// conclude is the test by the mean of the blocks.
func (b *Blocks) conclude(r *TestResult, s TestSettings) (*TestResult, error) {
	if b.Count < 1 {
		return nil, fault.Errorf("stat", "%s: no block is full; give more rows, or smaller blocks", r.Test)
	}
	f := float64(b.Count)
	r.Statistic = b.Sum / f
	r.Measure = fmt.Sprintf("%s (mean of %d blocks of %d)", r.Measure, b.Count, b.Rows/b.Count)
	return r, r.blockNull(s, b.Mean/f, b.Variance/(f*f), b.Shift/f, b.Tie)
}

// AddBlock adds a block to b: as many points of each sample, two or more. The statistic is the
// unbiased estimate.
func (t MMD[T]) AddBlock(ctx context.Context, b *Blocks, x, y data.Points[T]) error {
	return t.open().addBlock(ctx, b, data.Erase(x), data.Erase(y))
}

func (t mmd) addBlock(ctx context.Context, b *Blocks, x, y data.Points[any]) error {
	if err := checkSamples(t.Kernel, x, y); err != nil {
		return err
	}
	if x.Len() != y.Len() {
		return fault.Errorf("stat", "MMD: a block of %d and %d points; give as many of each sample", x.Len(), y.Len())
	}
	p, err := newPooled(ctx, t.Kernel, x, y, t.TestSettings)
	if err != nil {
		return err
	}
	if err := p.stored(NullGamma); err != nil {
		return err
	}
	b.addPooled(p)
	return nil
}

// TestBlocks draws the conclusion from blocks that AddBlock added. Nulls: gamma, which has some of
// the skewness that few blocks leave, and normal.
func (t MMD[T]) TestBlocks(b *Blocks) (*TestResult, error) { return t.open().testBlocks(b) }

func (t mmd) testBlocks(b *Blocks) (*TestResult, error) {
	s, err := t.resolve("MMD by blocks", NullGamma, NullNormal)
	if err != nil {
		return nil, err
	}
	r := t.result(b.Rows, b.Rows)
	r.Measure = "MMD²"
	return b.conclude(r, s)
}

// AddBlock adds a block of four or more pairs to b. The statistic is V = tr(K̃·L̃) less its mean
// over exchanges, in the units of the unbiased estimate, (V - tr K̃·tr L̃/(n-1))/(n(n-3)): that
// estimate with a term at its mean, so that the moments over exchanges are exact. Unbiased is not
// read.
func (t HSIC[X, Y]) AddBlock(ctx context.Context, b *Blocks, x data.Points[X], y data.Points[Y]) error {
	return t.open().addBlock(ctx, b, data.Erase(x), data.Erase(y))
}

func (t hsic) addBlock(ctx context.Context, b *Blocks, x, y data.Points[any]) error {
	if length(x) != length(y) {
		return fault.Errorf("stat", "HSIC: %d points x but %d points y; want pairs", length(x), length(y))
	}
	k, err := centredGram(ctx, "HSIC: x", t.KernelX, x, 4, t.TestSettings)
	if err != nil {
		return err
	}
	l, err := centredGram(ctx, "HSIC: y", t.KernelY, y, 4, t.TestSettings)
	if err != nil {
		return err
	}
	p := newPaired(k, l, true, t.Threads)
	identity := make([]int32, p.n())
	for i := range identity {
		identity[i] = int32(i)
	}
	slope, offset := p.line()
	mean, variance := permutedMoments(p.n(), invariantsOf(t.Threads, k), invariantsOf(t.Threads, l))
	b.add(p.n(), slope*p.inner(identity)+offset, slope, offset, mean, variance, p.tie())
	return ctx.Err()
}

// TestBlocks draws the conclusion from blocks that AddBlock added. Nulls: gamma, which has some of
// the skewness that few blocks leave, and normal.
func (t HSIC[X, Y]) TestBlocks(b *Blocks) (*TestResult, error) { return t.open().testBlocks(b) }

func (t hsic) testBlocks(b *Blocks) (*TestResult, error) {
	s, err := t.resolve("HSIC by blocks", NullGamma, NullNormal)
	if err != nil {
		return nil, err
	}
	return b.conclude(&TestResult{
		Test: "HSIC independence test", Measure: "HSIC", Sizes: []int{b.Rows},
		Kernels: []string{describeKernel(t.KernelX), describeKernel(t.KernelY)},
	}, s)
}
