package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// weightedOp is S·K·S as an operator; s = nil means S = I.
type weightedOp struct {
	g gram.Gram
	s []float64
}

// Dims is the shape of K.
func (o weightedOp) Dims() (int, int) { return o.g.Dims() }

// MulTo sets dst = S·K·S·v.
func (o weightedOp) MulTo(dst, v *mat.Dense, trans bool) {
	if o.s == nil {
		o.g.MulTo(dst, v, trans)
		return
	}
	in, out := linalg.Of(v).Clone(), linalg.Of(dst)
	scale := func(m linalg.Matrix[float64]) {
		for i, s := range o.s {
			row := m.Row(i)
			for j := range row {
				row[j] *= s
			}
		}
	}
	scale(in)
	o.g.MulTo(dst, linalg.Dense(in), trans)
	scale(out)
}

// solveCG never holds more than the budget: a share of it goes to the preconditioner, the rest to
// as much of K as fits. When the context ends in the iterations the solution is the last of them,
// beside its error.
func (p *ridgeProblem) solveCG(ctx context.Context, tol float64, rank int, seed uint64) (*ridgeSolution, error) {
	n := len(p.keep)
	if need := 16 * int64(n); need > p.Bytes { // one column of the preconditioner and one of K
		return nil, &learn.OverBudget{Learner: CG.String(), Points: n, Needs: need, Budget: p.Bytes,
			Instead: "give it more memory: two columns of the kernel matrix are the least"}
	}
	if tol == 0 {
		tol = 1e-8
	}
	if rank == 0 { // √n·8 columns: their cost n·r² then stays below one product with K
		rank = min(n, max(64, int(8*math.Sqrt(float64(n)))))
	}
	rank = min(rank, n, max(1, int(p.Bytes/4/int64(16*n))))
	if on := p.lowRankOnDevice(ctx, rank, seed); on != nil {
		s, err := p.iterate(on.while, tol, on, 0)
		on.close()
		if on.err == nil || ctx.Err() != nil {
			return s, err
		}
	}
	low, err := gram.RandomCholesky(ctx, p.kernel, p.x, gram.LowRankOptions{MaxRank: rank, Tolerance: leastLeft,
		Threads: p.Threads, Seed: seed})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("preconditioner: %w", err)
	}
	f := linalg.Of(low.Factor())
	p.scaleRows(f)
	pre, err := solve.NewLowRankContext(ctx, p.Threads, linalg.Dense(f), p.lambda)
	if err != nil {
		return nil, err
	}
	return p.iterate(ctx, tol, pre, int64(f.Rows)*int64(f.Cols)*8)
}

// leastLeft is the share of the trace of K that a preconditioner may leave.
const leastLeft = 1e-9

// iterate is conjugate gradients with a preconditioner that takes so many bytes.
func (p *ridgeProblem) iterate(
	ctx context.Context, tol float64, pre solve.Preconditioner, used int64,
) (*ridgeSolution, error) {
	n := len(p.keep)
	rest := max(p.Bytes-used, p.Bytes/4)
	g, err := gram.New(ctx, p.kernel, p.x, gram.Options{Bytes: rest, Threads: p.Threads, Device: p.Device})
	if err != nil {
		return nil, err
	}
	defer gram.Release(g)
	b := p.right()
	x := linalg.New[float64](b.Rows, b.Cols)
	res, err := solve.CG{Shift: p.lambda, Precond: pre, Tol: tol, Trace: p.Trace}.Solve(ctx, weightedOp{g, p.s},
		linalg.Dense(x), linalg.Dense(b))
	var not *solve.NotPositive
	switch {
	case errors.As(err, &not):
		return nil, fmt.Errorf("K + λI with λ = %g: %w", p.lambda, err)
	case err != nil && (ctx.Err() == nil || res.Iterations == 0):
		return nil, err
	}
	stopped := err // by the context: the last iterate stands
	worst := 0.0
	for _, r := range res.Residual {
		worst = math.Max(worst, r)
	}
	beta, c, err := p.combine(x)
	if err != nil {
		return nil, err
	}
	if stored := 8 * int64(n) * int64(n); stored <= rest {
		used += stored
	}
	return &ridgeSolution{beta: beta, c: c, residual: worst, steps: res.Iterations, bytes: used, how: CG,
		settled: res.Converged}, stopped
}
