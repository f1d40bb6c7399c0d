package project

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// CCA is kernel canonical correlation analysis of two or more views; see the
// package comment. With wᵢ = (K̃ᵢ+κI)·αᵢ and Rᵢ = (K̃ᵢ+κI)⁻¹·K̃ᵢ its problem is
// the ordinary one of the blocks Rᵢ·Rⱼ (i ≠ j), whose leading pairs are found by
// block Lanczos with a residual for each. For two views the eigenvalues are
// canonical correlations, the singular values of R₁·R₂; for M they lie between
// 0 and M−1.
type CCA struct {
	Components int // how many; 0 means 1
	// Kappa is κ > 0, the same for all views; 0 means 0.01·tr K̃ᵢ for view i,
	// which for kernels with k(x, x) = 1 is the 0.01·n of Bach and Jordan.
	Kappa float64
	// LowRank works with K ≈ F·Fᵀ; nil means exactly up to 3,000 objects, and
	// from there on incomplete Cholesky to a hundredth of the default κ,
	// 1e-4·tr K, or 500 columns: what lies below κ does not correlate.
	LowRank *LowRank
	Exact   bool // exactly, however many objects

	Tolerance float64 // residual allowed, relative to the largest eigenvalue; 0 means 1e-10
	Seed      uint64  // of starting blocks, Nyström centres, folds
	Threads   int     // 0 means all
	Bytes     int64   // budget of each view's Gram matrix; 0 means a quarter of the machine's memory
}

// CCAModel is a fitted CCA. It is immutable and safe for concurrent use.
type CCAModel struct {
	funcs  []*rkhs.Func[any] // of each view
	values []float64
	scores []linalg.Matrix[float64]
	report CCAReport

	threads int
}

// CCAReport says how the components were found.
type CCAReport struct {
	Kappa     []float64 // of each view
	Ranks     []int     // of each view's factor; nil when exact
	Residuals []float64 // ‖Av − ρv‖ of each component, relative to the largest ρ
	Elapsed   time.Duration
}

// exactLimit is the number of objects up to which nil LowRank means exact.
const exactLimit = 3000

func (c CCA) check(views []View) error {
	if len(views) < 2 {
		return fault.Errorf("project", "CCA of %d views; want at least 2", len(views))
	}
	for i, v := range views {
		if v == nil {
			return fault.Errorf("project", "view %d is nil", i)
		}
		if err := v.check(); err != nil {
			return fault.Errorf("project", "view %d: %w", i, err)
		}
		if v.Len() != views[0].Len() {
			return fault.Errorf("project",
				"view %d has %d objects, view 0 has %d; row i of every view has to be the same object", i, v.Len(), views[0].Len())
		}
	}
	n := views[0].Len()
	if n < 2 {
		return fault.Errorf("project", "one object has no correlation; give at least 2")
	}
	if c.Components < 0 || c.Components > n-1 {
		return fault.Errorf("project", "%d components of %d objects; want at most %d", c.Components, n, n-1)
	}
	if !(c.Kappa >= 0) || math.IsInf(c.Kappa, 0) {
		return fault.Errorf("project", "κ is %g; want a positive number, or 0 for 0.01·tr K̃", c.Kappa)
	}
	if !(c.Tolerance >= 0) {
		return fault.Errorf("project", "tolerance is %g; want it positive, or 0 for 1e-10", c.Tolerance)
	}
	return nil
}

// prepare centres every view.
func (c CCA) prepare(ctx context.Context, views []View) ([]prepared, error) {
	ps := make([]prepared, len(views))
	for i, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		switch {
		case c.LowRank != nil && !c.Exact:
			ps[i], err = v.lowRank(ctx, *c.LowRank, c.Threads, c.Seed)
		case v.Len() > exactLimit && !c.Exact:
			ps[i], err = v.lowRank(ctx, LowRank{Tolerance: 1e-4, MaxRank: 500}, c.Threads, c.Seed)
		default:
			ps[i], err = v.exact(ctx, c.Threads, c.Bytes)
		}
		if err != nil {
			return nil, fault.Errorf("project", "view %d: %w", i, err)
		}
		if centred, raw := ps[i].trace(); !(centred > 1e-12*raw) {
			return nil, fault.Errorf("project", "view %d: %w", i, errNoVariance)
		}
	}
	return ps, nil
}

// whiten applies κ to every view.
func (c CCA) whiten(ctx context.Context, ps []prepared) ([]whitened, []float64, error) {
	ws, kappas := make([]whitened, len(ps)), make([]float64, len(ps))
	for i, p := range ps {
		kappas[i] = c.Kappa
		if c.Kappa == 0 {
			centred, _ := p.trace()
			kappas[i] = 0.01 * centred
		}
		var err error
		if ws[i], err = p.whiten(ctx, kappas[i], c.Threads); err != nil {
			return nil, nil, fault.Errorf("project", "view %d: %w", i, err)
		}
	}
	return ws, kappas, nil
}

// Fit finds the most correlated functions of the views.
func (c CCA) Fit(ctx context.Context, views ...View) (*CCAModel, error) {
	start := time.Now()
	if err := c.check(views); err != nil {
		return nil, err
	}
	ps, err := c.prepare(ctx, views)
	if err != nil {
		return nil, err
	}
	m, err := c.solve(ctx, ps, views[0].Len())
	if err != nil {
		return nil, err
	}
	m.report.Elapsed = time.Since(start)
	return m, nil
}

// solve finds the components of prepared views of n objects.
func (c CCA) solve(ctx context.Context, ps []prepared, n int) (*CCAModel, error) {
	ws, kappas, err := c.whiten(ctx, ps)
	if err != nil {
		return nil, err
	}
	k := max(c.Components, 1)
	op := blockOp{ws, nil, n, c.Threads}
	e, err := c.leading(ctx, op, k)
	if err != nil {
		return nil, fault.In("project", err)
	}
	m := &CCAModel{values: e.Values, threads: c.Threads}
	m.report.Kappa = kappas
	for _, p := range ps {
		if l, ok := p.(interface{ rank() int }); ok {
			m.report.Ranks = append(m.report.Ranks, l.rank())
		}
	}
	for _, r := range e.Residuals {
		m.report.Residuals = append(m.report.Residuals, r/e.Norm)
	}
	// With two views both halves of a unit vector have length √½: scaled by
	// √M, every view of two has αᵀ(K̃+κI)²α = 1, and of M so on average.
	w := e.Vectors
	scale := math.Sqrt(float64(len(ws)))
	for j := range k {
		big := 0.0
		for i := range n {
			if v := w.At(i, j); math.Abs(v) > math.Abs(big)*(1+1e-9) {
				big = v
			}
		}
		s := math.Copysign(scale, big)
		for i := range w.Rows {
			w.Set(i, j, s*w.At(i, j))
		}
	}
	for i, r := range ws {
		block := w.Slice(i*n, (i+1)*n, 0, k).Clone()
		scores := linalg.New[float64](n, k)
		r.mul(c.Threads, scores, block)
		m.scores = append(m.scores, scores)
		m.funcs = append(m.funcs, r.function(c.Threads, block))
	}
	return m, nil
}

// blockOp is the matrix of blocks Rᵢ·Rⱼ, i ≠ j, with the objects of each view
// renumbered: object a of view i is perm[i][a] of its R.
type blockOp struct {
	views   []whitened
	perm    [][]int // nil means in order
	n       int
	threads int
}

// Dims implements linalg.Operator.
func (b blockOp) Dims() (r, c int) { return b.n * len(b.views), b.n * len(b.views) }

// MulTo implements linalg.Operator: with yᵢ = Rᵢ·vᵢ and t = Σ yⱼ, block i of the
// result is Rᵢ·(t − yᵢ).
func (b blockOp) MulTo(dst, v *mat.Dense, _ bool) {
	d, x := linalg.Of(dst), linalg.Of(v)
	k := x.Cols
	y := linalg.New[float64](x.Rows, k)
	total := linalg.New[float64](b.n, k)
	for i := range b.views {
		yi := y.Slice(i*b.n, (i+1)*b.n, 0, k)
		b.apply(i, yi, x.Slice(i*b.n, (i+1)*b.n, 0, k))
		for a := range b.n {
			row := total.Row(a)
			for j, e := range yi.Row(a) {
				row[j] += e
			}
		}
	}
	for i := range b.views {
		yi := y.Slice(i*b.n, (i+1)*b.n, 0, k)
		for a := range b.n {
			row := yi.Row(a)
			for j, e := range total.Row(a) {
				row[j] = e - row[j]
			}
		}
		b.apply(i, d.Slice(i*b.n, (i+1)*b.n, 0, k), yi)
	}
}

// apply sets dst = Pᵢ·Rᵢ·Pᵢᵀ·v.
func (b blockOp) apply(i int, dst, v linalg.Matrix[float64]) {
	if b.perm == nil || b.perm[i] == nil {
		b.views[i].mul(b.threads, dst, v)
		return
	}
	in, out := linalg.New[float64](b.n, v.Cols), linalg.New[float64](b.n, v.Cols)
	for a, p := range b.perm[i] {
		copy(in.Row(p), v.Row(a))
	}
	b.views[i].mul(b.threads, out, in)
	for a, p := range b.perm[i] {
		copy(dst.Row(a), out.Row(p))
	}
}

// Components is the number of components.
func (m *CCAModel) Components() int { return len(m.values) }

// Views is the number of views.
func (m *CCAModel) Views() int { return len(m.funcs) }

// Correlations are the regularised canonical correlations ρ, largest first; for
// M > 2 views the eigenvalues of the problem, at most M−1.
func (m *CCAModel) Correlations() []float64 { return append([]float64(nil), m.values...) }

// Scores are the values of the functions of view i at the training objects, a
// row each.
func (m *CCAModel) Scores(i int) *mat.Dense { return linalg.Dense(m.scores[i].Clone()) }

// Transform evaluates the functions of every view at new objects: the result
// has a matrix for each view. A nil view is skipped; its result is nil.
func (m *CCAModel) Transform(ctx context.Context, views ...View) ([]*mat.Dense, error) {
	dst := make([]*mat.Dense, len(views))
	for i, v := range views {
		if v == nil {
			continue
		}
		dst[i] = new(mat.Dense)
		if v.Len() > 0 {
			dst[i] = mat.NewDense(v.Len(), m.Components(), nil)
		}
	}
	if err := m.TransformTo(ctx, dst, views...); err != nil {
		return nil, err
	}
	return dst, nil
}

// TransformTo sets dst, a matrix for each view with a row for each object and a
// column for each component, to the values of the functions. A nil view leaves
// its matrix alone.
func (m *CCAModel) TransformTo(ctx context.Context, dst []*mat.Dense, views ...View) error {
	if len(views) != len(m.funcs) {
		return fault.Errorf("project", "%d views given, the model has %d; pass nil for one that is not at hand", len(views),
			len(m.funcs))
	}
	if len(dst) != len(views) {
		return fault.Errorf("project", "%d destinations for %d views; give as many", len(dst), len(views))
	}
	for i, v := range views {
		if v == nil {
			continue
		}
		if err := v.evaluate(ctx, dst[i], m.funcs[i], m.threads); err != nil {
			return fault.Errorf("project", "view %d: %w", i, err)
		}
	}
	return ctx.Err()
}

// ViewFunc is the functions of view i, an output for each component. The type
// has to be that of the view's points.
func ViewFunc[T any](m *CCAModel, i int) (*rkhs.Func[T], error) {
	if i < 0 || i >= len(m.funcs) {
		return nil, fault.Errorf("project", "view %d of %d", i, len(m.funcs))
	}
	f := m.funcs[i]
	k, ok := kernel.Typed[T](f.Kernel)
	if _, also := data.Typed[T](f.Centers); !ok || !also {
		return nil, fault.Errorf("project", "view %d is a function of %T, with the kernel %T",
			i, data.Concrete(f.Centers), kernel.Concrete(f.Kernel))
	}
	return rkhs.Typed(k, f), nil
}

// Report says how the components were found.
func (m *CCAModel) Report() CCAReport { return m.report }
