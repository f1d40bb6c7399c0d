package gp

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// sparseProblem is rows to learn from through few points. A row of weight w counts as w rows.
type sparseProblem struct {
	learn.Resources
	rows    data.Source[any]
	census  fitting.Census
	fitc    bool
	mean    float64
	fitMean bool
	kept    []features // of all rows at the state solved last, where the budget has room for them
	keep    bool
	flat    *flatRows // of all rows, once a device has asked for them
}

// sparseState is the posterior at given parameters: with Q = ΦΦᵀ and Λ = diag λ,
//
//	B = I + Φᵀ Λ⁻¹Φ,   β = B⁻¹Φᵀ Λ⁻¹(y - b),   λᵢ = σ², for FITC σ² + k(xᵢ, xᵢ) - qᵢᵢ,
//
// so that (Q + Λ)⁻¹ = Λ⁻¹ - Λ⁻¹ΦB⁻¹Φᵀ Λ⁻¹ and Φᵀ(Q + Λ)⁻¹(y - b) = β.
type sparseState struct {
	*inducing
	noise  float64
	b      linalg.Matrix[float64] // B, in the lower triangle
	inner  *linalg.Cholesky       // of B
	beta   []float64
	mean   float64   // b
	ones   []float64 // Φᵀ(Q + Λ)⁻¹1 where b was fitted, else nil
	onesA1 float64   // 1ᵀ(Q + Λ)⁻¹1
	lost   float64   // Σ w(k - q): what f(Z) does not know
	value  float64   // the bound
}

// spread is the noise variance λ of a row.
func (p *sparseProblem) spread(x features, i int, noise float64) (lambda, lost float64) {
	lost = x.self[i] - x.known(i)
	if p.fitc {
		return noise + lost, lost
	}
	return noise, lost
}

// solve computes the collapsed bound of Titsias (2009),
//
//	log N(y - b | 0, Q + σ²I) - Σ(k(xᵢ, xᵢ) - qᵢᵢ)/2σ²,
//
// or for FITC log N(y - b | 0, Q + Λ), in one pass over the rows: sums of zzᵀ/λ with z = [φ, 1, y]
// hold all that it needs.
func (p *sparseProblem) solve(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any], noise float64,
) (*sparseState, error) {
	u, err := newInducing(ctx, p.Threads, k, z)
	if err != nil {
		return nil, err
	}
	m := u.count()
	s := &sparseState{inducing: u, noise: noise}
	sums, design := linalg.New[float64](m+2, m+2), linalg.New[float64](0, m+2)
	logs, block := 0.0, 0
	if err := u.visit(ctx, p.rows, func(b data.Block[any], x features) error {
		p.store(block, x)
		block++
		if design.Rows < b.Len() {
			design = linalg.New[float64](b.Len(), m+2)
		}
		rows := design.Slice(0, b.Len(), 0, m+2)
		parts := make([][2]float64, b.Len()) // of the logarithms and of what is lost, added up in order
		par.For(p.Threads, b.Len(), 32, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				w := b.Weight(i)
				lambda, lost := p.spread(x, i, noise)
				root := math.Sqrt(w / lambda)
				to := rows.Row(i)
				for j, v := range x.phi.Row(i) {
					to[j] = root * v
				}
				to[m], to[m+1] = root, root*(b.Target(i)[0]-p.census.Mean)
				parts[i] = [2]float64{w * math.Log(2*math.Pi*lambda), w * lost}
			}
		})
		for _, v := range parts {
			logs += v[0]
			s.lost += v[1]
		}
		return linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, rows, 1, sums)
	}); err != nil {
		return nil, err
	}
	s.b = sums.Slice(0, m, 0, m)
	for i := range m {
		s.b.Row(i)[i]++
	}
	if s.inner, err = linalg.NewCholeskyContext(ctx, p.Threads, s.b.Clone()); err != nil {
		return nil, err
	}
	p.conclude(s, sparseSums{logs: logs, one: slices.Clone(sums.Row(m)[:m]), y: slices.Clone(sums.Row(m + 1)[:m]),
		s11: sums.At(m, m), s1y: sums.At(m+1, m), syy: sums.At(m+1, m+1)},
		s.inner.LogDet(), func(v []float64) { s.inner.Solve(1, fitting.Column(v)) })
	return s, ctx.Err()
}

// sparseSums is what a bound wants to know of the rows: Σ w log 2πλ, and of z = [φ, 1, y] the sums
// of wλ⁻¹zzᵀ but for φφᵀ.
type sparseSums struct {
	logs          float64
	one, y        []float64 // Σ wφ/λ, Σ wyφ/λ
	s11, s1y, syy float64
}

// conclude finds the mean, β and the bound. solve sets v = B⁻¹v.
func (p *sparseProblem) conclude(s *sparseState, t sparseSums, logDet float64, solve func(v []float64)) {
	off := p.mean - p.census.Mean
	if p.fitMean {
		s.ones = slices.Clone(t.one)
		solve(s.ones)
		s.onesA1 = t.s11 - fitting.Dot(t.one, s.ones)
		off = (t.s1y - fitting.Dot(t.y, s.ones)) / s.onesA1
	}
	s.mean = p.census.Mean + off
	c := make([]float64, len(t.one))
	for j := range c {
		c[j] = t.y[j] - off*t.one[j]
	}
	s.beta = slices.Clone(c)
	solve(s.beta)
	square := t.syy - 2*off*t.s1y + off*off*t.s11 - fitting.Dot(c, s.beta)
	s.value = -0.5 * (t.logs + logDet + square)
	if !p.fitc {
		s.value -= 0.5 * s.lost / s.noise
	}
}

// store keeps the features of a block for the gradient at the same place.
func (p *sparseProblem) store(block int, x features) {
	if !p.keep {
		return
	}
	if block == len(p.kept) {
		p.kept = append(p.kept, features{linalg.New[float64](x.phi.Rows, x.phi.Cols), make([]float64, len(x.self))})
	}
	to := p.kept[block]
	par.For(p.Threads, x.phi.Rows, 128, func(lo, hi int) {
		to.phi.Slice(lo, hi, 0, x.phi.Cols).CopyFrom(x.phi.Slice(lo, hi, 0, x.phi.Cols))
	})
	copy(to.self, x.self)
}

// again visits the rows with the features of a state that was solved last.
func (p *sparseProblem) again(ctx context.Context, s *sparseState, f func(b data.Block[any], x features) error) error {
	if !p.keep {
		return s.visit(ctx, p.rows, f)
	}
	block := 0
	return p.rows.Pass(ctx, p.kept[0].phi.Rows, func(b data.Block[any]) error {
		x := p.kept[block]
		block++
		return f(b, x)
	})
}
