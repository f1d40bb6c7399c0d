package ridge

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Ridge regression with a kernel that is a sum over sparse features, K = ΦΦᵀ: each step of
// conjugate gradients takes two passes over the entries of Φ, and what is kept are the weights Φᵀα
// of the features in place of the points. It is the same optimum, found where the steps together
// take less than a factorisation of K.
const sparseSteps = 150 // after which a factorisation is better

// sparseGram is ΦΦᵀ as an operator.
type sparseGram struct {
	phi     *linalg.CSR
	threads int
}

func (g sparseGram) Dims() (int, int) { return g.phi.Rows, g.phi.Rows }

func (g sparseGram) MulTo(dst, v *mat.Dense, _ bool) {
	w := linalg.New[float64](g.phi.Cols, linalg.Of(v).Cols)
	g.phi.MulTransDense(g.threads, w, linalg.Of(v))
	g.phi.MulDense(g.threads, linalg.Of(dst), w)
}

func (g sparseGram) Diag(dst []float64) { g.phi.RowNormsSquared(dst) }

func (g sparseGram) Column(dst []float64, j int) {
	for i := range dst {
		dst[i] = g.phi.RowDot(i, g.phi, j)
	}
}

// fitSparse is the model by sparse features; nil where there are none, or a factorisation is as
// soon done.
func (p *ridgeProblem) fitSparse(ctx context.Context, start time.Time) (*Regressor[any], error) {
	if !p.mayBeSparse() {
		return nil, nil
	}
	f, err := fitting.SparseFeaturesOf(ctx, p.kernel, p.x, p.Resources)
	if f == nil || err != nil {
		return nil, err
	}
	phi := f.Phi
	if p.primalIsLess(phi) {
		return p.fitSparsePrimal(ctx, f, start)
	}
	// A step takes four operations for each entry and column of the right-hand side.
	steps := 4 * sparseSteps * float64(phi.NNZ()) * float64(p.y.Cols+p.free.Cols)
	if steps > factorWork(float64(len(p.keep))) {
		return nil, nil
	}
	pre, err := p.sparsePreconditioner(ctx, data.Sparse((*data.CSR)(phi)))
	if err != nil {
		return nil, err
	}
	b := p.right()
	solved := linalg.New[float64](b.Rows, b.Cols)
	const tol = 1e-9
	within, hopeless := context.WithCancel(ctx)
	defer hopeless()
	watch := func(s trace.Step) {
		if s.Iteration == sparseSteps/4 && s.Residual > 1e-3 {
			hopeless()
		}
		p.Trace.Report(s)
	}
	res, err := solve.CG{Shift: p.lambda, Precond: pre, Tol: tol, MaxIter: sparseSteps, Trace: watch}.Solve(within,
		weightedOp{sparseGram{phi, p.Threads}, p.s}, linalg.Dense(solved), linalg.Dense(b))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || !res.Converged {
		return nil, nil // a factorisation does better, or says what is wrong
	}
	beta, c, err := p.combine(solved)
	if err != nil {
		return nil, err
	}
	worst := 0.0
	for _, r := range res.Residual {
		worst = max(worst, r)
	}
	m, err := p.model(&ridgeSolution{beta: beta, c: c, residual: worst, steps: res.Iterations,
		bytes: 12 * int64(phi.NNZ()), how: CG, settled: true}, start)
	if err != nil {
		return nil, err
	}
	of, report := m.Func(), m.Report()
	report.Notes = append(report.Notes, f.Note())
	return newRegressor(f.Func(f.Weights(p.Threads, linalg.Of(of.Coef)), of.Bias), report), nil
}

// mayBeSparse says whether sparse features are looked at.
func (p *ridgeProblem) mayBeSparse() bool {
	_, sparse := data.SparseOfPoints(p.x)
	return !p.typed && len(p.keep) >= fitting.SparseFrom && p.zeros == nil && p.Device == nil && !sparse &&
		fitting.HasSparseFeatures(p.kernel, p.x)
}

// sparsePreconditioner is of a few columns of K, whose largest eigenvalues are those of the commonest
// features.
func (p *ridgeProblem) sparsePreconditioner(ctx context.Context, rows data.SparseRows) (solve.Preconditioner, error) {
	linear, err := kernel.OnSparse(kernel.Linear{}, rows.Dim())
	if err != nil {
		return nil, err
	}
	rank := max(64, int(2*math.Sqrt(float64(rows.Len()))))
	low, err := gram.RandomCholesky(ctx, linear, data.Points[data.SparseVec](rows),
		gram.LowRankOptions{MaxRank: rank, Tolerance: leastLeft, Threads: p.Threads, Seed: 1})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // none: a matrix of zeros
	}
	f := linalg.Of(low.Factor())
	p.scaleRows(f)
	return solve.NewLowRankContext(ctx, p.Threads, linalg.Dense(f), p.lambda)
}
