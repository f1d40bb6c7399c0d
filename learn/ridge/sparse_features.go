package ridge

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Ridge regression with a kernel that is a sum over sparse features, K = ΦΦᵀ: each step of
// conjugate gradients takes two passes over the entries of Φ, and what is kept are the weights Φᵀα
// of the features in place of the points. It is the same optimum, found where the steps together
// take less than a factorisation of K.
const (
	sparseFrom  = 1000 // points from which it is looked at
	sparseSteps = 150  // after which a factorisation is better
)

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
	n := len(p.keep)
	_, dense := data.VectorsOf(p.x)
	_, sparse := data.SparseOfPoints(p.x)
	if p.typed || n < sparseFrom || p.zeros != nil || p.Device != nil || dense || sparse ||
		!kernel.HasSparseMap(p.kernel) {
		return nil, nil
	}
	// A step takes four operations for each entry and column of the right-hand side, a
	// factorisation n³/3 at a fiftieth of the time for each.
	most := float64(n) * float64(n) * float64(n) / 150 / (4 * sparseSteps * float64(p.y.Cols+p.free.Cols))
	space, rows, err := kernel.MapSparse(ctx, p.Threads, p.kernel, p.x, int(min(most, float64(p.Bytes)/40)))
	if errors.Is(err, kernel.ErrManyFeatures) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	phi := (*linalg.CSR)(rows.CSR())
	pre, err := p.sparsePreconditioner(ctx, rows)
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
	f := m.Func()
	w := linalg.New[float64](phi.Cols, f.Outputs())
	phi.MulTransDense(p.Threads, w, linalg.Of(f.Coef))
	weights := make([][]float64, f.Outputs())
	for j := range weights {
		weights[j] = make([]float64, max(phi.Cols, 1))
		for i := range phi.Cols {
			weights[j][i] = w.At(i, j)
		}
	}
	report := m.Report()
	report.Notes = append(report.Notes, "solved by "+phrase.Thousands(len(space.Names))+
		" sparse features, whose weights are kept in place of the points")
	return newRegressor(learn.FeatureFunc(space, weights, f.Bias), report), nil
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
