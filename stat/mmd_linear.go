package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/stat/distuv"
)

// linear averages h = k(x,x') + k(y,y') − k(x,y') − k(x',y) over disjoint
// pairs of points (Gretton et al. 2012, lemma 14). Exchanging x and y changes
// the sign of h, so the permutations are random signs.
func (t mmd) linear(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	s, err := t.resolve("linear-time MMD", NullPermutation, NullNormal)
	if err != nil {
		return nil, err
	}
	pairs := min(x.Len(), y.Len()) / 2
	h := linearTerms(s.Threads, t.Kernel, x, y)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := t.result(x.Len(), y.Len())
	r.notePairs(2*pairs, x.Len(), y.Len())
	if s.Null == NullNormal {
		return r, r.studentNull(s, h)
	}
	r.Statistic, _ = meanVariance(h)
	draws := make([]float64, s.Permutations)
	err = s.inBatches(ctx, func(lo, hi int) error {
		par.For(s.Threads, hi-lo, 8, func(from, to int) {
			for b := lo + from; b < lo+to; b++ {
				rng := s.stream(drawPermutation, b)
				sum := 0.0
				var bits uint64
				for i, v := range h {
					if i%64 == 0 {
						bits = rng.Uint64()
					}
					if bits>>(i%64)&1 == 1 {
						v = -v
					}
					sum += v
				}
				draws[b] = sum / float64(len(h))
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	largest := 0.0
	for _, v := range h {
		largest = math.Max(largest, math.Abs(v))
	}
	return r, r.sampled(s, draws, 1e-14*largest)
}

// linearTerms are the values of h on the pairs (0, 1), (2, 3), …. Vectors are met as such: each pair
// is asked for by itself.
func linearTerms(threads int, k kernel.Kernel[any], x, y data.Points[any]) []float64 {
	own, vectors := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	first, also := data.VectorsOf(x)
	if second, all := data.VectorsOf(y); vectors && also && all {
		return termsOf(threads, own.Eval, first, second)
	}
	return termsOf(threads, k.Eval, x, y)
}

func termsOf[T any](threads int, k func(a, b T) float64, x, y data.Points[T]) []float64 {
	h := make([]float64, min(x.Len(), y.Len())/2)
	par.For(threads, len(h), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x0, x1, y0, y1 := x.At(2*i), x.At(2*i+1), y.At(2*i), y.At(2*i+1)
			h[i] = k(x0, x1) + k(y0, y1) - k(x0, y1) - k(x1, y0)
		}
	})
	return h
}

// block averages unbiased estimates over disjoint blocks; points are exchanged
// within blocks.
func (t mmd) block(ctx context.Context, x, y data.Points[any]) (*TestResult, error) {
	s, err := t.resolve("block MMD", NullPermutation, NullGamma, NullNormal)
	if err != nil {
		return nil, err
	}
	n := min(x.Len(), y.Len())
	side := t.BlockSize
	if side == 0 {
		side = max(2, int(math.Sqrt(float64(n))))
	}
	if side < 2 || side > n {
		return nil, fault.Errorf("stat", "block MMD: blocks of %d points of %d; want 2 to %d", side, n, n)
	}
	blocks := n / side
	r := t.result(x.Len(), y.Len())
	r.Measure = fmt.Sprintf("MMD² (mean of %d blocks of %d)", blocks, side)
	r.notePairs(blocks*side, x.Len(), y.Len())
	values := make([]float64, blocks)
	draws := make([]float64, s.Permutations)
	one := make([]float64, s.Permutations)
	tie := 0.0
	all := &Blocks{}
	s.Device = nil // blocks are small
	for b := range blocks {
		index := make([]int, side)
		for i := range index {
			index[i] = b*side + i
		}
		p, err := newPooled(ctx, t.Kernel, data.Gather(x, index), data.Gather(y, index), s)
		if err != nil {
			return nil, err
		}
		if s.Null != NullPermutation {
			if err := p.stored(s.Null); err != nil {
				return nil, err
			}
			all.addPooled(p)
			continue
		}
		values[b] = p.statistic(Unbiased, p.observed())
		tie = math.Max(tie, p.tie())
		own := s
		own.Seed = s.stream(drawSplit, b).Uint64()
		own.Trace = nil
		if err := p.permute(ctx, own, drawPermutation, Unbiased, one); err != nil {
			return nil, err
		}
		for i, v := range one {
			draws[i] += v
		}
	}
	if s.Null != NullPermutation {
		r.Measure = "MMD²"
		return all.conclude(r, s)
	}
	r.Statistic, _ = meanVariance(values)
	for i := range draws {
		draws[i] /= float64(blocks)
	}
	return r, r.sampled(s, draws, tie)
}

// blockNull is the distribution of the mean of blocks when points are
// exchanged within them, whose first two moments are known: normal, as in the
// limit of many blocks, or the gamma distribution, which has some of the skewness
// that few blocks leave. (The blocks' own scatter, used by Zaremba et al., goes
// together with their mean when they are skewed, and a test by it rejects too
// seldom.) The mean of the statistic itself is mean + shift = 0.
func (r *TestResult) blockNull(s TestSettings, mean, variance, shift, tie float64) error {
	if err := r.finite([]float64{mean, variance}); err != nil {
		return err
	}
	if s.Null == NullGamma {
		g := newGamma(mean, variance)
		r.conclude(s, g.upper(r.Statistic-shift-tie), g.quantile(s.Alpha)+shift)
		return nil
	}
	deviation := math.Sqrt(variance)
	if deviation <= tie {
		r.Notes = append(r.Notes, "exchanging points changes nothing")
		r.conclude(s, 1, math.Inf(1))
		return nil
	}
	d := distuv.UnitNormal
	r.conclude(s, d.Survival((r.Statistic-mean-shift)/deviation), mean+shift+deviation*d.Quantile(1-s.Alpha))
	return nil
}

// studentNull is the central limit theorem for the mean of independent terms.
// As their variance is estimated from the same terms, the quantiles are those
// of Student's t rather than the normal limit.
func (r *TestResult) studentNull(s TestSettings, terms []float64) error {
	if len(terms) < 2 {
		return fault.Errorf("stat",
			"%s: the normal null needs at least 2 independent terms, there are %d; use more points, smaller blocks or the "+
				"permutation null", r.Measure, len(terms))
	}
	var variance float64
	r.Statistic, variance = meanVariance(terms)
	if err := r.finite(nil); err != nil {
		return err
	}
	deviation := math.Sqrt(variance / float64(len(terms)))
	if deviation == 0 {
		r.Notes = append(r.Notes, "all terms are equal, so their mean has no estimated error")
		r.conclude(s, 1, math.Inf(1))
		return nil
	}
	d := distuv.StudentsT{Sigma: 1, Nu: float64(len(terms) - 1)}
	r.conclude(s, d.Survival(r.Statistic/deviation), deviation*d.Quantile(1-s.Alpha))
	return nil
}

func (r *TestResult) notePairs(used, m, n int) {
	if used < m || used < n {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d and %d points were used", used, m, n))
	}
}

func meanVariance(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / float64(max(1, len(v)-1))
}
