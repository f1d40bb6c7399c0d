package project

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// View is one way to look at the objects: points of some type with a kernel on
// them, object i being point i. NewView makes one.
type View interface {
	// Len is the number of objects.
	Len() int

	check() error
	subset(index []int) View
	exact(ctx context.Context, threads int, bytes int64) (prepared, error)
	lowRank(ctx context.Context, l LowRank, threads int, seed uint64) (prepared, error)
	evaluate(ctx context.Context, dst *mat.Dense, f *rkhs.Func[any], threads int) error
}

// NewView is the points x seen through the kernel k.
func NewView[T any](k kernel.Kernel[T], x data.Points[T]) View {
	return view{kernel.Erase(k), data.Erase(x)}
}

type view struct {
	k kernel.Kernel[any]
	x data.Points[any]
}

func (v view) Len() int {
	if v.x == nil {
		return 0
	}
	return v.x.Len()
}

func (v view) check() error {
	if v.k == nil {
		return errors.New("no kernel")
	}
	if v.Len() == 0 {
		return errors.New("no points")
	}
	return kernel.Check(v.k, v.x)
}

func (v view) subset(index []int) View { return view{v.k, data.Gather(v.x, index)} }

// evaluate is f at the points, which have to be of the type of those that it was fitted to.
func (v view) evaluate(ctx context.Context, dst *mat.Dense, f *rkhs.Func[any], threads int) error {
	return apply.To(ctx, f, dst, v.x, rkhs.EvalOptions{Threads: threads})
}

// prepared is a centred view before κ is known, so that a search over κ shares
// the work.
type prepared interface {
	// trace is tr K̃ and tr K.
	trace() (centred, raw float64)
	// whiten makes R = (K̃+κI)⁻¹·K̃ ready.
	whiten(ctx context.Context, kappa float64, threads int) (whitened, error)
}

// whitened applies R = (K̃+κI)⁻¹·K̃, symmetric with eigenvalues in [0, 1).
type whitened interface {
	mul(threads int, dst, v linalg.Matrix[float64])
	// function returns Σᵢ αᵢ k̃(xᵢ, ·) with α = (K̃+κI)⁻¹·w for each column of
	// w.
	function(threads int, w linalg.Matrix[float64]) *rkhs.Func[any]
}

// exactView is K̃ in full.
type exactView struct {
	view
	k     linalg.Matrix[float64]
	means []float64
	raw   float64 // tr K
}

func (v view) exact(ctx context.Context, threads int, bytes int64) (prepared, error) {
	x := data.Own(v.x)
	g, err := gram.New(ctx, v.k, x, gram.Options{Layout: gram.Full, Threads: threads, Bytes: bytes})
	if err != nil {
		return nil, err
	}
	c, err := gram.Center(g)
	if err != nil {
		return nil, err
	}
	n := x.Len()
	k := linalg.New[float64](n, n)
	c.Block(linalg.Dense(k), 0, 0)
	means, all := c.Means()
	e := &exactView{view: view{v.k, x}, k: k, means: means}
	for i, m := range means {
		e.raw += k.At(i, i) + 2*m - all
	}
	return e, nil
}

func (e *exactView) trace() (centred, raw float64) {
	for i := range e.k.Rows {
		centred += e.k.At(i, i)
	}
	return centred, e.raw
}

func (e *exactView) whiten(ctx context.Context, kappa float64, threads int) (whitened, error) {
	shifted := e.k.Clone()
	for i := range shifted.Rows {
		shifted.Row(i)[i] += kappa
	}
	c, err := linalg.NewCholeskyContext(ctx, threads, shifted)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("K̃ + κI with κ = %g: %w; a larger kappa would do", kappa, err)
	}
	r := e.k.Clone()
	if err := c.SolveContext(ctx, threads, r); err != nil {
		return nil, err
	}
	for i := range r.Rows { // symmetric to the bit, as its eigensolver takes it to be
		for j := range i {
			s := 0.5 * (r.At(i, j) + r.At(j, i))
			r.Set(i, j, s)
			r.Set(j, i, s)
		}
	}
	return &exactWhitened{e, c, r}, nil
}

type exactWhitened struct {
	*exactView
	chol *linalg.Cholesky
	r    linalg.Matrix[float64]
}

func (e *exactWhitened) mul(threads int, dst, v linalg.Matrix[float64]) {
	linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, e.r, v, 0, dst)
}

func (e *exactWhitened) function(threads int, w linalg.Matrix[float64]) *rkhs.Func[any] {
	alpha := w.Clone()
	e.chol.Solve(threads, alpha)
	alpha, _ = centredFactor(alpha) // Hα: of the centring only the bias is left
	bias := make([]float64, alpha.Cols)
	for i := range alpha.Rows {
		for j, a := range alpha.Row(i) {
			bias[j] -= a * e.means[i]
		}
	}
	return (&rkhs.Func[any]{Kernel: e.view.k, Centers: e.x, Coef: linalg.Dense(alpha), Bias: bias}).Prepare()
}

// lowRankView is K̃ ≈ F̃·F̃ᵀ.
type lowRankView struct {
	view
	f      linalg.Matrix[float64] // F̃
	mean   []float64
	normal linalg.Matrix[float64] // F̃ᵀ·F̃, lower triangle
	phi    *gram.NystromMap[any]
}

func (v view) lowRank(ctx context.Context, l LowRank, threads int, seed uint64) (prepared, error) {
	a, err := factor(ctx, v.k, v.x, l, threads, seed)
	if err != nil {
		return nil, err
	}
	f, mean := centredFactor(linalg.Of(a.Factor()))
	normal := linalg.New[float64](f.Cols, f.Cols)
	if err := linalg.SyrkContext(ctx, threads, linalg.Lower, linalg.Trans, 1, f, 0, normal); err != nil {
		return nil, err
	}
	return &lowRankView{v, f, mean, normal, a.Map.(*gram.NystromMap[any])}, nil
}

func (l *lowRankView) trace() (centred, raw float64) {
	for i := range l.normal.Rows {
		centred += l.normal.At(i, i)
		raw += l.normal.At(i, i) + float64(l.f.Rows)*l.mean[i]*l.mean[i]
	}
	return centred, raw
}

func (l *lowRankView) rank() int { return l.f.Cols }

// whiten: with FᵀF + κI = L·Lᵀ and Z = F·L⁻ᵀ, R = F(FᵀF+κI)⁻¹Fᵀ = Z·Zᵀ.
func (l *lowRankView) whiten(ctx context.Context, kappa float64, threads int) (whitened, error) {
	shifted := l.normal.Clone()
	for i := range shifted.Rows {
		shifted.Row(i)[i] += kappa
	}
	c, err := linalg.NewCholeskyContext(ctx, threads, shifted)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("FᵀF + κI with κ = %g: %w; a larger kappa would do", kappa, err)
	}
	z := l.f.Clone()
	if err := linalg.TrsmContext(ctx, threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, c.L, z); err != nil {
		return nil, err
	}
	return &lowRankWhitened{l, c, z}, nil
}

type lowRankWhitened struct {
	*lowRankView
	chol *linalg.Cholesky
	z    linalg.Matrix[float64]
}

func (l *lowRankWhitened) mul(threads int, dst, v linalg.Matrix[float64]) {
	inner := linalg.New[float64](l.z.Cols, v.Cols)
	linalg.Gemm(threads, linalg.Trans, linalg.NoTrans, 1, l.z, v, 0, inner)
	linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, l.z, inner, 0, dst)
}

// function: ⟨φ̃(x), β⟩ with β = Fᵀ·(FFᵀ+κI)⁻¹·w = (FᵀF+κI)⁻¹·Fᵀ·w.
func (l *lowRankWhitened) function(threads int, w linalg.Matrix[float64]) *rkhs.Func[any] {
	beta := linalg.New[float64](l.f.Cols, w.Cols)
	linalg.Gemm(threads, linalg.Trans, linalg.NoTrans, 1, l.f, w, 0, beta)
	l.chol.Solve(threads, beta)
	bias := make([]float64, w.Cols)
	for i, m := range l.mean {
		for j, b := range beta.Row(i) {
			bias[j] -= b * m
		}
	}
	coef := l.phi.Coefficients(linalg.Dense(beta))
	return (&rkhs.Func[any]{Kernel: l.k, Centers: data.Own(l.phi.Centers), Coef: coef, Bias: bias}).Prepare()
}
