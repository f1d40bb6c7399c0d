package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// permute sets draws to the statistic of random permutations, or shifts, of the
// second variable.
func (p *paired) permute(ctx context.Context, s TestSettings, statistic float64, draws []float64) error {
	n := p.n()
	batch := min(permutationBatch, s.Permutations)
	perms := make([]int32, batch*n)
	v := make([]float64, batch)
	on := gram.NewPermutedSums(s.Device, linalg.Dense(p.k), linalg.Dense(p.l), s.Permutations)
	defer on.Close()
	var low *lowRank
	if on == nil {
		low = p.factor()
	}
	return s.inBatches(ctx, func(lo, hi int) error {
		perm := func(b int) []int32 { return perms[(b-lo)*n : (b-lo+1)*n] }
		par.For(s.Threads, hi-lo, 8, func(from, to int) {
			for b := lo + from; b < lo+to; b++ {
				s.arrange(perm(b), drawPermutation, b)
			}
		})
		if on.Sums(perms[:(hi-lo)*n], v[:hi-lo]) { // to rounding, as by gathers
		} else if low == nil {
			p.inners(ctx, perms[:(hi-lo)*n], v[:hi-lo])
		} else if err := low.inners(ctx, perms[:(hi-lo)*n], v[:hi-lo]); err != nil {
			return err
		}
		par.For(s.Threads, hi-lo, 1, func(from, to int) {
			for b := lo + from; b < lo+to; b++ {
				draws[b] = p.statistic(v[b-lo], perm(b))
				if low == nil || ctx.Err() != nil {
					continue
				}
				// too near to call at the precision of the approximation
				if d := draws[b] - statistic; d < low.bound && d > -low.bound {
					draws[b] = p.statistic(p.inner(perm(b)), perm(b))
				}
			}
		})
		return ctx.Err()
	})
}

// inner is V = Σᵢⱼ K̃ᵢⱼ L̃_{π(i)π(j)}.
func (p *paired) inner(perm []int32) float64 {
	v := make([]float64, 1)
	p.innerGroup(context.Background(), perm, v)
	return v[0]
}

// innerTogether is how many permutations meet a row of L̃ while it is in the
// nearest cache.
const innerTogether = 8

// inners is inner for each permutation.
func (p *paired) inners(ctx context.Context, perms []int32, v []float64) {
	n := p.n()
	par.For(p.threads, len(v), innerTogether, func(from, to int) {
		p.innerGroup(ctx, perms[from*n:to*n], v[from:to])
	})
}

// innerGroup goes through the rows of L̃ in order. Row r meets, in each
// permutation, row i = π⁻¹(r) of K̃, of which the part before the diagonal is
// enough: it is read in order, and the gathers stay within row r.
func (p *paired) innerGroup(ctx context.Context, perms []int32, v []float64) {
	n := p.n()
	inverse := make([]int32, len(perms))
	for b := range v {
		for i, r := range perms[b*n : (b+1)*n] {
			inverse[b*n+int(r)] = int32(i)
		}
		v[b] = 0
	}
	for r := range n {
		if r%64 == 0 && ctx.Err() != nil {
			return
		}
		row := p.l.Row(r)
		for b := range v {
			i := int(inverse[b*n+r])
			v[b] += 2*simd.GatherDot64(p.k.Row(i)[:i], perms[b*n:b*n+i], row) + p.dk[i]*p.dl[r]
		}
	}
}

// lowRank is K̃ ≈ F·Fᵀ, L̃ ≈ G·Gᵀ with centred factors, so that
// V ≈ ‖Fᵀ·G_π‖², a matrix product for all permutations at once.
type lowRank struct {
	f, g    linalg.Matrix[float64]
	bound   float64 // of the error of the statistic
	threads int
}

// Where the factors are small the product is cheaper than n²/2 gathers; their
// ranks r and s decide, at about this many products r·s for each point.
const lowRankWork = 12

// lowRankShare/n is the share of the trace that may be left out. With
// K̃ = FFᵀ + E, E positive semi-definite, and L̃ = GGᵀ + E',
//
//	0 ≤ V − ‖FᵀG_π‖² ≤ tr(E)·‖L̃‖ + tr(E')·‖K̃‖ ≤ 2·share·tr K̃·tr L̃,
//
// some thousandths of the standard deviation of V over the permutations; those
// whose statistic is that near to the observed one are evaluated by n²/2
// gathers after all, so that the p-value is the exact one.
const lowRankShare = 1e-3

// factor returns nil where the matrices are not of low rank.
func (p *paired) factor() *lowRank {
	n := p.n()
	limit := 1
	for limit*limit < lowRankWork*n {
		limit++
	}
	if n < 64 {
		return nil
	}
	f, fk := p.pivoted(p.k, limit)
	if f.Rows == 0 {
		return nil
	}
	g, fl := p.pivoted(p.l, limit*limit/f.Cols)
	if g.Rows == 0 {
		return nil
	}
	scale := float64(n) * float64(n)
	if p.isUnbiased {
		scale = float64(n) * float64(n-3)
	}
	return &lowRank{f, g, (fk + fl + 1e-12) * p.tk * p.tl / scale, p.threads}
}

// pivoted is an incomplete Cholesky factor and the share of the trace it
// leaves out; no rows where limit columns do not suffice.
func (p *paired) pivoted(k linalg.Matrix[float64], limit int) (linalg.Matrix[float64], float64) {
	tolerance := lowRankShare / float64(k.Rows)
	c, err := linalg.NewPivotedCholesky(p.threads, k.Clone(),
		linalg.PivotedOptions{Tolerance: tolerance, MaxRank: min(limit, k.Rows)})
	trace := 0.0
	for i := range k.Rows {
		trace += k.At(i, i)
	}
	if err != nil || len(c.Pivots) == 0 || c.Residual > 2*tolerance*trace {
		return linalg.Matrix[float64]{}, 0
	}
	return c.L, math.Max(0, c.Residual/trace)
}

// A piece of the product stays in the second-level cache: this many rows of a
// few permuted factors side by side, together about so wide.
const (
	lowRankRows  = 256
	lowRankWidth = 384
)

// inners sets v[b] = ‖Fᵀ·G_π‖².
func (w *lowRank) inners(ctx context.Context, perms []int32, v []float64) error {
	group := max(1, lowRankWidth/w.g.Cols)
	par.For(w.threads, len(v), group, func(lo, hi int) {
		if ctx.Err() == nil {
			w.innerGroup(perms[lo*w.f.Rows:], v[lo:hi])
		}
	})
	return ctx.Err()
}

func (w *lowRank) innerGroup(perms []int32, v []float64) {
	n, r, s := w.f.Rows, w.f.Cols, w.g.Cols
	side := linalg.New[float64](min(lowRankRows, n), len(v)*s)
	c := linalg.New[float64](r, side.Cols)
	for lo := 0; lo < n; lo += lowRankRows {
		hi := min(lo+lowRankRows, n)
		for i := lo; i < hi; i++ {
			row := side.Row(i - lo)
			for b := range v {
				copy(row[b*s:], w.g.Row(int(perms[b*n+i])))
			}
		}
		linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, w.f.Slice(lo, hi, 0, r), side.Slice(0, hi-lo, 0, side.Cols), 1, c)
	}
	for b := range v {
		v[b] = 0
		for i := range r {
			part := c.Row(i)[b*s : (b+1)*s]
			v[b] += simd.Dot(part, part)
		}
	}
}
