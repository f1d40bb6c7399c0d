package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// directResidual is the relative residual above which a direct solution is
// called not converged: backward stable as it is, K + λI is then so nearly
// singular that few digits of the coefficients are certain.
const directResidual = 1e-6

// symmColumns is how many columns are multiplied between two looks at the context.
const symmColumns = 64

// mixedFrom is the number of points from which single precision is worth its
// refinement.
const mixedFrom = 768

// choose settles the method; features is not nil where the kernel has explicit
// ones.
func (p *ridgeProblem) choose(m Method) (Method, *fitting.ExplicitFeatures) {
	n := int64(len(p.keep))
	features := fitting.ExplicitOf(p.kernel, p.x)
	if p.zeros != nil {
		features = nil // the free functions live in the dual
	}
	if m != Auto {
		return m, features
	}
	switch {
	case features != nil && int64(features.Dim) < n && 8*n*int64(features.Dim) <= p.Bytes:
		return Primal, features
	case n >= mixedFrom && 12*n*n <= p.Bytes:
		return Mixed, nil
	case 8*n*n <= p.Bytes:
		return Cholesky, nil
	}
	return CG, nil
}

// scaledGram is K' = S·K·S in full.
func (p *ridgeProblem) scaledGram(ctx context.Context) (linalg.Matrix[float64], error) {
	n := int64(len(p.keep))
	g, err := gram.New(ctx, p.kernel, p.x, gram.Options{Layout: gram.Full, Threads: p.Threads,
		Bytes: max(p.Bytes, 16*n*n)})
	if err != nil {
		return linalg.Matrix[float64]{}, err
	}
	k := linalg.Matrix[float64](g.(gram.Dense).RawMatrix())
	if p.s != nil {
		fitting.Rows(ctx, p.Threads, k.Rows, 64, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := k.Row(i)
				for j, s := range p.s {
					row[j] *= p.s[i] * s
				}
			}
		})
	}
	return k, nil
}

// solveDense factorises K' + λI.
func (p *ridgeProblem) solveDense(ctx context.Context, method Method) (*ridgeSolution, error) {
	n := int64(len(p.keep))
	need := 8 * n * n
	if method == Mixed {
		need = 12 * n * n
	}
	if need > p.Bytes {
		return nil, &learn.OverBudget{Learner: method.String(), Points: len(p.keep), Needs: need, Budget: p.Bytes,
			Instead: "give it more memory, or leave the method open"}
	}
	k, err := p.scaledGram(ctx)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if method == Mixed {
		s, err := p.solveMixed(ctx, k)
		if err != nil {
			return nil, err
		}
		if s != nil {
			return s, nil
		}
		p.warnings = append(p.warnings, "single precision could not reach the accuracy of double; used double")
	}
	return p.solveCholesky(ctx, k)
}

// solveCholesky overwrites k: the factor goes to the lower triangle, while the upper
// one keeps K' for the residual and one step of refinement.
func (p *ridgeProblem) solveCholesky(ctx context.Context, k linalg.Matrix[float64]) (*ridgeSolution, error) {
	n := k.Rows
	diag := make([]float64, n)
	for i := range diag {
		k.Row(i)[i] += p.lambda
		diag[i] = k.At(i, i)
	}
	chol, err := linalg.NewCholeskyContext(ctx, p.Threads, k)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("K + λI with λ = %g: %w; raise lambda, or repair the kernel if it is not positive definite",
			p.lambda, err)
	}
	swap := func() {
		for i, d := range diag {
			diag[i] = k.At(i, i)
			k.Row(i)[i] = d
		}
	}
	b := p.right()
	x, r := b.Clone(), linalg.New[float64](n, b.Cols)
	residual := func() {
		r.CopyFrom(b)
		swap()
		for c := 0; c < r.Cols && ctx.Err() == nil; c += symmColumns {
			e := min(c+symmColumns, r.Cols)
			linalg.Symm(p.Threads, linalg.Left, linalg.Upper, -1, k, x.Slice(0, n, c, e), 1, r.Slice(0, n, c, e))
		}
		swap()
	}
	if err := chol.SolveContext(ctx, p.Threads, x); err != nil {
		return nil, err
	}
	residual()
	if err := chol.SolveContext(ctx, p.Threads, r); err != nil {
		return nil, err
	}
	for i := range n {
		d := r.Row(i)
		for j := range d {
			x.Row(i)[j] += d[j]
		}
	}
	residual()
	beta, c, err := p.combine(x)
	if err != nil {
		return nil, err
	}
	return &ridgeSolution{beta: beta, c: c, residual: relativeResidual(r, b), steps: 1, bytes: 8 * int64(n) * int64(n),
		how: Cholesky, settled: relativeResidual(r, b) <= directResidual}, nil
}

// relativeResidual is the largest ‖r‖/‖b‖ of the columns; a column that is 0
// is solved exactly.
func relativeResidual(r, b linalg.Matrix[float64]) float64 {
	worst := 0.0
	rn, bn := fitting.ColumnNorms(r), fitting.ColumnNorms(b)
	for j := range rn {
		if bn[j] > 0 {
			worst = math.Max(worst, rn[j]/bn[j])
		}
	}
	return worst
}

// singleFactor is a float32 Cholesky factor as a preconditioner.
type singleFactor struct {
	chol    *linalg.CholeskyOf[float32]
	threads int
}

// ApplyTo solves in single precision; each column is scaled to norm 1 first, so
// that small residuals do not vanish in the range of float32.
func (s singleFactor) ApplyTo(dst, r *mat.Dense) {
	d, b := linalg.Of(dst), linalg.Of(r)
	norms := fitting.ColumnNorms(b)
	w := linalg.New[float32](b.Rows, b.Cols)
	for i := range b.Rows {
		for j, v := range b.Row(i) {
			if norms[j] > 0 {
				w.Row(i)[j] = float32(v / norms[j])
			}
		}
	}
	s.chol.Solve(s.threads, w)
	for i := range b.Rows {
		for j, v := range w.Row(i) {
			d.Row(i)[j] = float64(v) * norms[j]
		}
	}
}

// solveMixed refines a single precision solution (Higham and Mary 2022, §7). It returns nil where
// it cannot.
func (p *ridgeProblem) solveMixed(ctx context.Context, k linalg.Matrix[float64]) (*ridgeSolution, error) {
	n := k.Rows
	half := linalg.Unset[float32](n, n)
	sums := make([]float64, n) // row sums of |lower triangle| bound the norm within a factor of 2
	fitting.Rows(ctx, p.Threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			in, out := k.Row(i)[:i+1], half.Row(i)
			for j, v := range in {
				out[j] = float32(v)
				sums[i] += math.Abs(v)
			}
			out[i] = float32(in[i] + p.lambda)
		}
	})
	norm := p.lambda
	for _, s := range sums {
		norm = math.Max(norm, s)
	}
	if norm > 1e30 || p.lambda < 1e-30 {
		return nil, nil // out of the range of float32
	}
	chol, err := linalg.NewCholeskyOfContext(ctx, p.Threads, half)
	if err != nil {
		return nil, ctx.Err()
	}
	return p.refine(ctx, linalg.SymmetricOp{A: k, Threads: p.Threads}, singleFactor{chol, p.Threads}, norm,
		12*int64(n)*int64(n))
}

// refine is conjugate gradients on the residual with a factor in single precision, until the
// normwise backward error ‖r‖/(‖A‖∞‖x‖ + ‖b‖) is what double precision would leave. It returns nil
// where it cannot.
func (p *ridgeProblem) refine(
	ctx context.Context, op linalg.Operator, factor solve.Preconditioner, norm float64, bytes int64,
) (*ridgeSolution, error) {
	b := p.right()
	n := b.Rows
	x, d, r := linalg.New[float64](n, b.Cols), linalg.New[float64](n, b.Cols), b.Clone()
	bn := fitting.ColumnNorms(b)
	steps, last := 0, math.Inf(1)
	for range 6 {
		cg := solve.CG{Shift: p.lambda, Precond: factor, Tol: 1e-7, MaxIter: 60}
		res, err := cg.Solve(ctx, op, linalg.Dense(d), linalg.Dense(r))
		if err != nil {
			return nil, ctx.Err()
		}
		steps += res.Iterations
		for i := range n {
			for j, v := range d.Row(i) {
				x.Row(i)[j] += v
			}
		}
		op.MulTo(linalg.Dense(r), linalg.Dense(x), false)
		for i := range n {
			ri, xi, bi := r.Row(i), x.Row(i), b.Row(i)
			for j := range ri {
				ri[j] = bi[j] - ri[j] - p.lambda*xi[j]
			}
		}
		worst, rn, xn := 0.0, fitting.ColumnNorms(r), fitting.ColumnNorms(x)
		for j := range rn {
			if bn[j] > 0 {
				worst = math.Max(worst, rn[j]/(norm*xn[j]+bn[j]))
			}
		}
		if worst <= 2e-16 || worst > last/4 {
			last = math.Min(worst, last)
			break
		}
		last = worst
		p.Trace.Report(trace.Step{Iteration: steps, Objective: math.NaN(), Residual: worst})
	}
	if !(last <= 1e-14) {
		return nil, nil
	}
	beta, c, err := p.combine(x)
	if err != nil {
		return nil, err
	}
	return &ridgeSolution{beta: beta, c: c, residual: relativeResidual(r, b), steps: steps, bytes: bytes, how: Mixed,
		settled: relativeResidual(r, b) <= directResidual}, nil
}
