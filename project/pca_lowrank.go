package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// factor makes K ≈ F·Fᵀ with the map behind it.
func factor(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], l LowRank, threads int, seed uint64,
) (*gram.Approximation[any], error) {
	if l.Centers < 0 || l.MaxRank < 0 || !(l.Tolerance >= 0) {
		return nil, fault.Errorf("project", "low rank with %d centres, rank at most %d, tolerance %g; none may be negative",
			l.Centers, l.MaxRank, l.Tolerance)
	}
	o := gram.LowRankOptions{Tolerance: l.Tolerance, MaxRank: l.MaxRank, Threads: threads, Seed: seed}
	if o.MaxRank == 0 {
		o.MaxRank = 1000
	}
	o.MaxRank = min(o.MaxRank, x.Len())
	var a *gram.Approximation[any]
	var err error
	if l.Centers == 0 {
		a, err = gram.IncompleteCholesky(ctx, k, x, o)
	} else {
		var index []int
		if index, err = gram.KMeansCenters(ctx, k, x, min(l.Centers, x.Len()), threads, seed); err == nil {
			a, err = gram.Nystrom(ctx, k, x, index, o)
		}
	}
	if err != nil {
		return nil, fault.In("project", err)
	}
	return a, nil
}

// centredFactor takes the mean row off a copy of F and returns both.
func centredFactor(f linalg.Matrix[float64]) (linalg.Matrix[float64], []float64) {
	c := f.Clone()
	mean := make([]float64, c.Cols)
	for range 2 { // what rounding leaves of a large mean goes the second time
		shift := make([]float64, c.Cols)
		for i := range c.Rows {
			for j, v := range c.Row(i) {
				shift[j] += v
			}
		}
		for j := range shift {
			shift[j] /= float64(c.Rows)
			mean[j] += shift[j]
		}
		for i := range c.Rows {
			row := c.Row(i)
			for j := range row {
				row[j] -= shift[j]
			}
		}
	}
	return c, mean
}

// fitLowRank diagonalises F̃ᵀ·F̃, r×r, in place of K̃ = F̃·F̃ᵀ: both have the
// eigenvalues nλ, and with F̃ᵀF̃·w = nλ·w the component is v = Σ wⱼ φⱼ, the
// scores F̃·w.
func (p pca) fitLowRank(ctx context.Context, x data.Points[any]) (*components, error) {
	a, err := factor(ctx, p.Kernel, x, p.LowRank, p.Threads, p.Seed)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, mean := centredFactor(linalg.Of(a.Factor()))
	n, r := f.Rows, f.Cols
	m := &components{}
	m.report.Rank, m.report.TraceError = r, a.Report.TraceError/a.Report.Trace
	cov := linalg.New[float64](r, r)
	if err := linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, f, 0, cov); err != nil {
		return nil, err
	}
	// What the factor left out is variance too, though none of the components'.
	m.total = a.Report.TraceError / float64(n)
	for j := range r {
		m.total += cov.At(j, j) / float64(n)
		m.meanNorm += mean[j] * mean[j]
	}
	values, w, err := m.decompose(ctx, linalg.SymmetricOp{A: cov, Threads: p.Threads}, p.Threads, p.Device)
	if err != nil {
		return nil, fault.In("project", err)
	}
	k := p.keep(m, values, n, a.Report.Trace)
	if k == 0 {
		return nil, errNoVariance
	}
	w = w.Slice(0, r, 0, k).Clone()
	u := linalg.New[float64](n, k)
	linalg.Gemm(p.Threads, linalg.NoTrans, linalg.NoTrans, 1, f, w, 0, u)
	for i := range n {
		row := u.Row(i)
		for j := range row {
			row[j] /= math.Sqrt(values[j])
		}
	}
	m.finish(values[:k], u)
	// The signs that finish chose, for the components too.
	beta := linalg.New[float64](r, k+1)
	bias := make([]float64, k)
	for j := range k {
		sign := 1.0
		for i := range n {
			if s, t := m.scores.At(i, j), u.At(i, j); t != 0 {
				if (s > 0) != (t > 0) {
					sign = -1
				}
				break
			}
		}
		for i := range r {
			beta.Set(i, j, sign*w.At(i, j))
			bias[j] -= sign * w.At(i, j) * mean[i]
		}
	}
	for i, v := range mean {
		beta.Set(i, k, v)
	}
	nystrom, ok := a.Map.(*gram.NystromMap[any])
	if !ok {
		return nil, fault.Errorf("project", "no coefficients on centres for %T", a.Map)
	}
	coef := linalg.Of(nystrom.Coefficients(linalg.Dense(beta)))
	meanCoef := make([]float64, r)
	for i := range r {
		meanCoef[i] = coef.At(i, k)
	}
	m.setFunc(p.Kernel, data.Own(nystrom.Centers), coef.Slice(0, r, 0, k), meanCoef, bias)
	return m, nil
}
