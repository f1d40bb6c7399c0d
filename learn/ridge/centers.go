package ridge

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
	"github.com/mercer-ml/mercer/rkhs"
)

// centerBlock is how many rows are mapped and added up at a time. The sums are those of blocks, in order, so that they
// do not depend on the number of threads.
const centerBlock = 1024

// centerBasis is the functions in the span of k(cⱼ, ·) at some centres, in the coordinates φ of an orthonormal basis of
// that span (gram.NystromMap): ⟨v, φ(x)⟩ has the norm ‖v‖.
type centerBasis[T any] struct {
	phi       *gram.NystromMap[T]
	mean      []float64 // of φ at the centres; nil without an intercept
	threads   int
	intercept bool
}

// newCenterBasis draws the centres, all points equally likely.
func newCenterBasis[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], count int, intercept bool, threads int, seed uint64) (*centerBasis[T], error) {
	rows, err := gram.UniformCenters(x.Len(), min(count, x.Len()), seed)
	if err != nil {
		return nil, err
	}
	phi, err := gram.NewNystromMap(ctx, k, data.OwnSubset(x, rows), gram.LowRankOptions{Threads: threads})
	if err != nil {
		return nil, err
	}
	b := &centerBasis[T]{phi: phi, threads: threads, intercept: intercept}
	if !intercept {
		return b, nil
	}
	at, err := phi.Features(ctx, phi.Centers)
	if err != nil {
		return nil, err
	}
	b.mean = make([]float64, phi.Dim())
	for i := range phi.Dim() {
		for j, v := range at.RawRowView(i) {
			b.mean[j] += v / float64(phi.Dim())
		}
	}
	return b, nil
}

// centerBytes is what a regression of some outputs holds at the most: the sums, two copies in the course of a solution, L, and a block of features
// with what it is made of.
func centerBytes(centers, outputs int) int64 {
	m := int64(centers + 1 + outputs)
	return 8 * (4*m*m + 2*centerBlock*m)
}

// designTo fills dst with the rows √w·[φ(x) - mean, 1, y] of some points. Taking a mean off first keeps the digits that sums of
// squares of large numbers would lose.
func (b *centerBasis[T]) designTo(ctx context.Context, dst linalg.Matrix[float64], x data.Points[T], root []float64, y func(i int) []float64) error {
	m := b.phi.Dim()
	if err := b.phi.FeaturesTo(ctx, linalg.Dense(dst.Slice(0, dst.Rows, 0, m)), x); err != nil {
		return err
	}
	for i := range dst.Rows {
		row, w := dst.Row(i), 1.0
		if root != nil {
			w = root[i]
		}
		for j := range row[:m] {
			if b.mean != nil {
				row[j] -= b.mean[j]
			}
			row[j] *= w
		}
		row[m] = w
		copy(row[m+1:], y(i))
	}
	return nil
}

// sums is Σ w zzᵀ, z = [φ(x) - mean, 1, y], over some rows, in the lower triangle. y is given times √w.
func (b *centerBasis[T]) sums(ctx context.Context, x data.Points[T], rows []int, root []float64, y linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	size := b.phi.Dim() + 1 + y.Cols
	total, block := linalg.New[float64](size, size), linalg.New[float64](min(centerBlock, len(rows)), size)
	for lo := 0; lo < len(rows); lo += centerBlock {
		part := rows[lo:min(lo+centerBlock, len(rows))]
		design := block.Slice(0, len(part), 0, size)
		if err := b.designTo(ctx, design, data.Gather(x, part), data.Take(root, part), func(i int) []float64 { return y.Row(part[i]) }); err != nil {
			return total, err
		}
		if err := linalg.SyrkContext(ctx, b.threads, linalg.Lower, linalg.Trans, 1, design, 1, total); err != nil {
			return total, err
		}
	}
	return total, ctx.Err()
}

// centerSolution is ⟨v, φ(x)⟩ + b for each output.
type centerSolution struct {
	v         linalg.Matrix[float64]
	bias      []float64 // nil without an intercept
	residual  float64   // relative, of the normal equations
	objective float64
}

// solve minimises Σ w(y - ⟨v, φ⟩ - b)² + λ‖v‖², given the sums. With the intercept eliminated that is (A + λI)v = B,
// A and B the sums of products about the means.
func (b *centerBasis[T]) solve(ctx context.Context, sums linalg.Matrix[float64], lambda float64) (*centerSolution, error) {
	m := b.phi.Dim()
	outputs := sums.Rows - m - 1
	a, right := sums.Slice(0, m, 0, m).Clone(), linalg.New[float64](m, outputs)
	means, weight := sums.Row(m)[:m], sums.At(m, m)
	s := &centerSolution{}
	for o := range outputs {
		y := sums.Row(m + 1 + o)
		s.objective += y[m+1+o]
		for j := range m {
			if right.Set(j, o, y[j]); b.intercept {
				right.Set(j, o, y[j]-y[m]*means[j]/weight)
			}
		}
		if b.intercept {
			s.objective -= y[m] * y[m] / weight
		}
	}
	for i := range m {
		row := a.Row(i)
		if b.intercept {
			for j := range row[:i+1] {
				row[j] -= means[i] * means[j] / weight
			}
		}
		row[i] += lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, b.threads, a.Clone())
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("ΦᵀΦ + λI with λ = %g: %w; raise Lambda", lambda, err)
	}
	s.v = right.Clone()
	chol.Solve(b.threads, s.v)
	rest := linalg.New[float64](m, outputs)
	residual := func() {
		rest.CopyFrom(right)
		linalg.Symm(b.threads, linalg.Left, linalg.Lower, -1, a, s.v, 1, rest)
	}
	residual()
	chol.Solve(b.threads, rest)
	for i := range rest.Data {
		s.v.Data[i] += rest.Data[i]
	}
	residual()
	s.residual = relativeResidual(rest, right)
	for i := range m { // ‖y - f‖² + λ‖v‖² at the solution
		for o := range outputs {
			s.objective -= s.v.At(i, o) * right.At(i, o)
		}
	}
	s.objective = math.Max(s.objective, 0)
	if b.intercept {
		s.bias = make([]float64, outputs)
		for o := range outputs {
			s.bias[o] = sums.At(m+1+o, m) / weight
			for j := range m {
				s.bias[o] -= (means[j]/weight + b.mean[j]) * s.v.At(j, o)
			}
		}
	}
	return s, nil
}

// fitCenters is the regression restricted to functions of few centres.
func (p *ridgeProblem[T]) fitCenters(ctx context.Context, count int, seed uint64, start time.Time) (*Regressor[T], error) {
	n := len(p.keep)
	count = min(count, n)
	need := centerBytes(count, p.y.Cols)
	if need > p.Bytes {
		return nil, &learn.OverBudget{Learner: "ridge on centres", Points: n, Needs: need, Budget: p.Bytes, Instead: "give it more memory or take fewer centres"}
	}
	b, err := newCenterBasis(ctx, p.kernel, p.x, count, p.intercept, p.Threads, seed)
	if err != nil {
		return nil, err
	}
	sums, err := b.sums(ctx, p.x, par.Indices(0, n), p.s, p.y)
	if err != nil {
		return nil, err
	}
	s, err := b.solve(ctx, sums, p.lambda)
	if err != nil {
		return nil, err
	}
	f := &rkhs.Func[T]{Kernel: p.kernel, Centers: b.phi.Centers, Coef: b.phi.Coefficients(linalg.Dense(s.v)), Bias: s.bias}
	if err := fitting.FiniteCoefficients(f); err != nil {
		return nil, err
	}
	return newRegressor(f, learn.Report{
		Learner: "ridge (Nyström)", Iterations: 1, Objective: s.objective, Certificate: s.residual, Certified: "relative residual",
		Converged: s.residual <= directResidual, Bytes: need, Warnings: p.warnings, Elapsed: time.Since(start),
	}), nil
}
