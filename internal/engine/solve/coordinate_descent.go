package solve

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/trace"
)

// Lasso is ℓ1-penalised least squares,
//
//	minimise over β, b   P = ½ Σ wᵢ(yᵢ - Σⱼ βⱼXⱼᵢ - b)² + λ‖β‖₁
//
// (Tibshirani 1996), by coordinate descent with exact zeros: a sweep over all features, some over
// those in use (Friedman, Hastie and Tibshirani 2010), then these together by signSearch. It stops
// by the duality gap: with residuals r and b at its best, θ = w∘r·min(1, λ/max|X(w∘r)|) is feasible
// for the dual max Σ θᵢyᵢ - ½θᵢ²/wᵢ.
type Lasso struct {
	Columns   linalg.Matrix[float64] // row j is feature j at all n points
	Target    []float64
	Weight    []float64 // wᵢ ≥ 0
	Intercept bool      // b is fitted; else it is 0
	Tol       float64   // duality gap, relative to P at β = 0; 0 means 1e-6
	MaxIter   int       // sweeps; 0 means 100000
	Threads   int
	Trace     trace.Func
}

// patience is after how many sweeps features are taken one by one.
const patience = 300

// settlingSweeps is how many sweeps over the features in use come before a signSearch.
const settlingSweeps = 10

// SolveFrom minimises at λ from a solution at another, such as the one before on a path; nil means
// from 0.
func (p *Lasso) SolveFrom(ctx context.Context, lambda float64, warm *L1Solution) (*L1Solution, error) {
	tol, limit, start := p.Tol, p.MaxIter, time.Now()
	if tol == 0 {
		tol = 1e-6
	}
	if limit == 0 {
		limit = 100000
	}
	d := p.descent(lambda)
	s := d.s
	p.certify(s, d.r)
	scale := s.Value
	if warm != nil {
		copy(s.Beta, warm.Beta)
		p.certify(s, d.r)
	}
	every := par.Indices(0, len(s.Beta))
	signs := signSearch{columns: p.Columns, h: p.Weight, lambda: lambda, intercept: p.Intercept, threads: p.Threads}
	small, alone := 1e-4*scale, false
	for s.Iterations < limit {
		if !alone && s.Iterations >= patience {
			alone = true
			if err := d.oneByOne(ctx, signs, tol*scale, limit); err != nil {
				return s, err
			}
			if s.Gap <= tol*scale {
				s.Converged = true
				break
			}
		}
		d.sweep(true)
		for range settlingSweeps {
			if s.Iterations >= limit || d.sweep(false) <= small || ctx.Err() != nil {
				break
			}
		}
		d.weigh()
		signs.run(every, s.Beta, slices.Clone(d.wr))
		if err := ctx.Err(); err != nil {
			return s, err
		}
		p.certify(s, d.r)
		p.Trace.Report(trace.Step{Iteration: s.Iterations, Objective: s.Value, Residual: s.Gap, Elapsed: time.Since(start)})
		if s.Gap <= tol*scale {
			s.Converged = true
			break
		}
		small = math.Max(small/10, 1e-30*scale)
	}
	return s, nil
}

// oneByOne begins again at 0 and lets features in singly, the most correlated with what is left
// first, each followed by a signSearch among those in use. Sweeps let in many at once, and where
// these are as good as dependent no factorisation is left that would cross their valleys: a wide
// kernel on a few hundred points has some ten that are not. What was there before stays if it was
// better.
func (d *lassoDescent) oneByOne(ctx context.Context, signs signSearch, gap float64, limit int) error {
	p, s := d.p, d.s
	before, value := slices.Clone(s.Beta), s.Value
	clear(s.Beta)
	p.certify(s, d.r)
	every := par.Indices(0, len(s.Beta))
	for last := math.Inf(1); s.Gap > gap && s.Value < last && s.Iterations < limit; s.Iterations++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		best := -1
		for j, c := range s.correlation {
			if s.Beta[j] == 0 && d.curve[j] > 0 && math.Abs(c) > s.Lambda &&
				(best < 0 || math.Abs(c) > math.Abs(s.correlation[best])) {
				best = j
			}
		}
		if best < 0 {
			break
		}
		last = s.Value
		s.Beta[best] = shrinkTo(s.correlation[best]/d.curve[best], s.Lambda/d.curve[best])
		simd.Axpy(-s.Beta[best], p.Columns.Row(best), d.r)
		d.weigh()
		signs.run(every, s.Beta, slices.Clone(d.wr))
		p.certify(s, d.r)
	}
	if s.Value > value {
		copy(s.Beta, before)
		p.certify(s, d.r)
	}
	return nil
}

// lassoDescent is where coordinate descent stands.
type lassoDescent struct {
	p     *Lasso
	s     *L1Solution
	r     []float64              // residuals
	wr    []float64              // w∘r, which is r itself where all weights are 1
	wx    linalg.Matrix[float64] // w∘X, to keep wr so; X itself where all weights are 1
	curve []float64              // Σᵢ wᵢXⱼᵢ², the curvature along βⱼ
	total float64                // Σ wᵢ, the curvature along b
}

// descent is a descent at β = 0.
func (p *Lasso) descent(lambda float64) *lassoDescent {
	m, n := p.Columns.Rows, len(p.Target)
	s := &L1Solution{Lambda: lambda, Beta: make([]float64, m), correlation: make([]float64, m)}
	d := &lassoDescent{p: p, s: s, r: slices.Clone(p.Target), wx: p.Columns, curve: make([]float64, m)}
	d.wr = d.r
	if slices.ContainsFunc(p.Weight, func(w float64) bool { return w != 1 }) {
		d.wr, d.wx = make([]float64, n), p.Columns.Clone()
		for j := range m {
			for i, row := 0, d.wx.Row(j); i < n; i++ {
				row[i] *= p.Weight[i]
			}
		}
	}
	for j := range d.curve {
		d.curve[j] = simd.Dot(p.Columns.Row(j), d.wx.Row(j))
	}
	for _, w := range p.Weight {
		d.total += w
	}
	return d
}

// weigh makes wr of r.
func (d *lassoDescent) weigh() {
	for i, v := range d.r {
		d.wr[i] = d.p.Weight[i] * v
	}
}

// sweep minimises over each βⱼ in turn, of all features or of those in use, and then over b. gain
// is the largest curvature·step² of them; P fell by at least half of it.
func (d *lassoDescent) sweep(all bool) (gain float64) {
	d.weigh()
	p, s := d.p, d.s
	for j, at := range s.Beta {
		curve := d.curve[j]
		if curve == 0 || !all && at == 0 {
			continue
		}
		x := p.Columns.Row(j)
		to := shrinkTo(at+simd.Dot(x, d.wr)/curve, s.Lambda/curve)
		step := to - at
		if step == 0 {
			continue
		}
		s.Beta[j] = to
		simd.Axpy(-step, d.wx.Row(j), d.wr)
		if &d.wr[0] != &d.r[0] {
			simd.Axpy(-step, x, d.r)
		}
		gain = math.Max(gain, curve*step*step)
	}
	if p.Intercept && d.total > 0 {
		mean := 0.0
		for _, v := range d.wr {
			mean += v
		}
		mean /= d.total
		s.Bias += mean
		for i := range d.r {
			d.r[i] -= mean
		}
		gain = math.Max(gain, d.total*mean*mean)
	}
	s.Iterations++
	return gain
}

// certify recomputes the residuals with the best bias, and from them P, the gap
// and the correlations.
func (p *Lasso) certify(s *L1Solution, r []float64) {
	copy(r, p.Target)
	for j, b := range s.Beta {
		if b != 0 {
			simd.Axpy(-b, p.Columns.Row(j), r)
		}
	}
	s.Bias = 0
	if p.Intercept {
		sum, total := 0.0, 0.0
		for i, w := range p.Weight {
			sum += w * r[i]
			total += w
		}
		if total > 0 {
			s.Bias = sum / total
		}
		for i := range r {
			r[i] -= s.Bias
		}
	}
	theta := make([]float64, len(r))
	loss, norm := 0.0, 0.0
	for i, w := range p.Weight {
		theta[i] = w * r[i]
		loss += w * r[i] * r[i] / 2
	}
	for _, b := range s.Beta {
		norm += math.Abs(b)
	}
	linalg.Gemv(p.Threads, linalg.NoTrans, 1, p.Columns, theta, 0, s.correlation)
	top := 0.0
	for _, c := range s.correlation {
		top = math.Max(top, math.Abs(c))
	}
	shrink := 1.0
	if top > s.Lambda {
		shrink = s.Lambda / top
	}
	s.Value = loss + s.Lambda*norm
	dual := -shrink * shrink * loss
	for i, v := range theta {
		dual += shrink * v * p.Target[i]
	}
	s.Gap = math.Max(s.Value-dual, 0)
}
