package project

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/trace"
)

// fitGram works on the centred Gram matrix itself.
func (p pca) fitGram(ctx context.Context, x data.Points[any], solver Solver) (*components, error) {
	o := gram.Options{Threads: p.Threads, Bytes: p.Bytes, Device: p.Device}
	if solver == SolveFull {
		o.Layout = gram.Full // all n² entries are needed; the budget still says no
	}
	x = data.Own(x)
	g, err := gram.New(ctx, p.Kernel, x, o)
	if err != nil {
		return nil, fault.In("project", err)
	}
	defer gram.Release(g)
	n := x.Len()
	diag := make([]float64, n)
	g.Diag(diag)
	m := &components{}
	scale := 0.0
	for _, v := range diag {
		scale += v
	}
	op, mean, err := m.centred(g, p.Threads)
	if err != nil {
		return nil, err
	}
	for i, v := range diag {
		m.total += (v - 2*mean[i] + m.meanNorm) / float64(n)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	var values []float64
	var u linalg.Matrix[float64]
	if solver == SolveFull {
		values, u, err = m.decompose(ctx, op, p.Threads, p.Device)
	} else {
		values, u, err = p.leading(ctx, m, op, min(max(p.Components, 1), n-1))
	}
	if err != nil {
		return nil, fault.In("project", err)
	}
	k := p.keep(m, values, n, scale)
	if k == 0 {
		return nil, errNoVariance
	}
	m.finish(values[:k], u.Slice(0, n, 0, k))
	if m.report.Residuals != nil {
		m.report.Residuals = m.report.Residuals[:k]
	}

	// Σᵢ αᵢ = 0, so that of the centring only −Σᵢ αᵢ·mᵢ is left.
	coef := linalg.New[float64](n, k)
	bias := make([]float64, k)
	meanCoef := make([]float64, n)
	for i := range n {
		row := coef.Row(i)
		for j, s := range m.scores.Row(i) {
			row[j] = s / (float64(n) * m.variance[j])
			bias[j] -= row[j] * mean[i]
		}
		meanCoef[i] = 1 / float64(n)
	}
	m.setFunc(p.Kernel, x, coef, meanCoef, bias)
	return m, nil
}

// centred returns K̃ and the row means of K. A matrix held in full is centred
// where it stands: one pass that every later product is spared.
func (m *components) centred(g gram.Accessor, threads int) (linalg.Operator, []float64, error) {
	d, stored := g.(gram.Dense)
	if !stored {
		c, err := gram.Center(g)
		if err != nil {
			return nil, nil, fault.In("project", err)
		}
		mean, all := c.Means()
		m.meanNorm = all
		return c, mean, nil
	}
	k := linalg.Matrix[float64](d.RawMatrix())
	n := k.Rows
	mean := make([]float64, n)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	par.For(threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			mean[i] = simd.Dot(k.Row(i), ones) / float64(n)
		}
	})
	for _, v := range mean {
		m.meanNorm += v / float64(n)
	}
	par.For(threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := k.Row(i)[:i+1] // the lower triangle is all that is read
			shift := m.meanNorm - mean[i]
			for j, v := range mean[:i+1] {
				row[j] += shift - v
			}
		}
	})
	return linalg.SymmetricOp{A: k, Threads: threads}, mean, nil
}

// decompose finds all eigenpairs, largest first.
func (m *components) decompose(
	ctx context.Context, op linalg.Operator, threads int, device *gram.Device,
) ([]float64, linalg.Matrix[float64], error) {
	s, ok := op.(linalg.SymmetricOp)
	if !ok {
		c := op.(*gram.Centered)
		n, _ := c.Dims()
		s.A = linalg.New[float64](n, n)
		c.Block(linalg.Dense(s.A), 0, 0)
	}
	n := s.A.Rows
	m.report.Products = n
	if values, rows, ok := gram.DeviceEigen(device, linalg.Dense(s.A)); ok {
		slices.Reverse(values)
		u := linalg.New[float64](n, n)
		for j := range n {
			for i, v := range rows.RawRowView(n - 1 - j) {
				u.Data[i*u.Stride+j] = v
			}
		}
		return values, u, nil
	}
	values, u, err := linalg.SymEigenContext(ctx, threads, s.A)
	if err != nil {
		return nil, u, err
	}
	for i := range n / 2 {
		values[i], values[n-1-i] = values[n-1-i], values[i]
	}
	for i := range n {
		row := u.Row(i)
		for j := range n / 2 {
			row[j], row[n-1-j] = row[n-1-j], row[j]
		}
	}
	return values, u, nil
}

// leading finds k eigenpairs with their residuals.
func (p pca) leading(
	ctx context.Context, m *components, op linalg.Operator, k int,
) ([]float64, linalg.Matrix[float64], error) {
	o := linalg.TopKOptions{Tolerance: p.Tolerance, Seed: p.Seed, Threads: p.Threads}
	if p.Trace != nil {
		start, block := time.Now(), 0
		o.Trace = func(s linalg.TopKStep) {
			block++
			p.Trace.Report(trace.Step{Iteration: block, Objective: math.NaN(), Residual: s.Residual, Elapsed: time.Since(start)})
		}
	}
	e, err := linalg.TopK(ctx, op, k, o)
	if err != nil {
		return nil, linalg.Matrix[float64]{}, err
	}
	m.report.Products = e.Products
	m.report.Residuals = make([]float64, k)
	for i, r := range e.Residuals {
		m.report.Residuals[i] = r / math.Max(e.Norm, math.SmallestNonzeroFloat64)
	}
	return e.Values, e.Vectors, nil
}

// finish takes eigenvalues nλ and unit eigenvectors to variances and scores
// √(nλ)·u. Of the two signs of each vector the one is taken that makes its
// entry of largest size positive, the first of equals.
func (m *components) finish(values []float64, u linalg.Matrix[float64]) {
	n := u.Rows
	m.variance = make([]float64, len(values))
	m.scores = linalg.New[float64](n, len(values))
	for j, v := range values {
		m.variance[j] = v / float64(n)
		big := 0.0
		for i := range n {
			if e := u.At(i, j); math.Abs(e) > math.Abs(big)*(1+1e-9) {
				big = e
			}
		}
		s := math.Copysign(math.Sqrt(v), big)
		for i := range n {
			m.scores.Set(i, j, s*u.At(i, j))
		}
	}
}
