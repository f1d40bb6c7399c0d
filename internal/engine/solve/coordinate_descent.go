package solve

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/trace"
)

// Lasso is ℓ1-penalised least squares,
//
//	minimise over β, b   P = ½ Σ wᵢ(yᵢ - Σⱼ βⱼXⱼᵢ - b)² + λ‖β‖₁
//
// (Tibshirani 1996), by coordinate descent with exact zeros: a sweep over all features, some over those
// in use (Friedman, Hastie and Tibshirani 2010), then these together by signSearch. It stops by the duality gap: with residuals r and b at its best,
// θ = w∘r·min(1, λ/max|X(w∘r)|) is feasible for the dual max Σ θᵢyᵢ - ½θᵢ²/wᵢ.
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

// settlingSweeps is how many sweeps over the features in use come before a signSearch.
const settlingSweeps = 10

// SolveFrom minimises at λ from a solution at another, such as the one before on a path; nil means from 0.
func (p *Lasso) SolveFrom(ctx context.Context, lambda float64, warm *L1Solution) (*L1Solution, error) {
	tol, limit, start := p.Tol, p.MaxIter, time.Now()
	if tol == 0 {
		tol = 1e-6
	}
	if limit == 0 {
		limit = 100000
	}
	m, n := p.Columns.Rows, len(p.Target)
	s := &L1Solution{Lambda: lambda, Beta: make([]float64, m), correlation: make([]float64, m)}
	r := append([]float64(nil), p.Target...)
	// wr is w∘r, and wx holds w∘X to keep it so; both are r and X where all weights are 1.
	curve, wr, wx := make([]float64, m), r, p.Columns
	if slices.ContainsFunc(p.Weight, func(w float64) bool { return w != 1 }) {
		wr, wx = make([]float64, n), p.Columns.Clone()
		for j := range m {
			for i, row := 0, wx.Row(j); i < n; i++ {
				row[i] *= p.Weight[i]
			}
		}
	}
	for j := range curve {
		curve[j] = simd.Dot(p.Columns.Row(j), wx.Row(j))
	}
	p.certify(s, r)
	scale, total := s.Value, 0.0
	if warm != nil {
		copy(s.Beta, warm.Beta)
		p.certify(s, r)
	}
	every := make([]int, m)
	for j := range every {
		every[j] = j
	}
	signs := signSearch{columns: p.Columns, h: p.Weight, lambda: lambda, intercept: p.Intercept, threads: p.Threads}
	for _, w := range p.Weight {
		total += w
	}
	sweep := func(all bool) (gain float64) {
		for i, v := range r {
			wr[i] = p.Weight[i] * v
		}
		for j := range s.Beta {
			at := s.Beta[j]
			if curve[j] == 0 || !all && at == 0 {
				continue
			}
			x := p.Columns.Row(j)
			to := shrinkTo(at+simd.Dot(x, wr)/curve[j], lambda/curve[j])
			step := to - at
			if step == 0 {
				continue
			}
			s.Beta[j] = to
			simd.Axpy(-step, wx.Row(j), wr)
			if &wr[0] != &r[0] {
				simd.Axpy(-step, x, r)
			}
			gain = math.Max(gain, curve[j]*step*step)
		}
		if p.Intercept && total > 0 {
			mean := 0.0
			for _, v := range wr {
				mean += v
			}
			mean /= total
			s.Bias += mean
			for i := range r {
				r[i] -= mean
			}
			gain = math.Max(gain, total*mean*mean)
		}
		s.Iterations++
		return gain
	}
	small := 1e-4 * scale
	for s.Iterations < limit {
		sweep(true)
		for range settlingSweeps {
			if s.Iterations >= limit || sweep(false) <= small || ctx.Err() != nil {
				break
			}
		}
		for i, v := range r {
			wr[i] = p.Weight[i] * v
		}
		rho := append([]float64(nil), wr...)
		signs.run(every, s.Beta, rho)
		if err := ctx.Err(); err != nil {
			return s, err
		}
		p.certify(s, r)
		p.Trace.Report(trace.Step{Iteration: s.Iterations, Objective: s.Value, Residual: s.Gap, Elapsed: time.Since(start)})
		if s.Gap <= tol*scale {
			s.Converged = true
			break
		}
		small = math.Max(small/10, 1e-30*scale)
	}
	return s, nil
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
