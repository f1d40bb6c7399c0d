package solve

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// LowRank is the preconditioner (F·Fᵀ + shift·I)⁻¹ for a tall factor F, by the
// Woodbury identity: (I - F·(shift·I + FᵀF)⁻¹·Fᵀ)/shift. With F from a pivoted
// Cholesky or Nyström factor of K it is the preconditioner of Cutajar et al.
// (2016) and Gardner et al. (2018) for K + shift·I.
type LowRank struct {
	f       linalg.Matrix[float64]
	inner   *linalg.Cholesky
	shift   float64
	threads int
}

// NewLowRank factors shift·I + FᵀF once.
func NewLowRank(threads int, f *mat.Dense, shift float64) (*LowRank, error) {
	return NewLowRankContext(context.Background(), threads, f, shift)
}

// NewLowRankContext is NewLowRank, called off when ctx ends.
func NewLowRankContext(ctx context.Context, threads int, f *mat.Dense, shift float64) (*LowRank, error) {
	if !(shift > 0) {
		return nil, fmt.Errorf("low-rank preconditioner: shift is %g, want > 0", shift)
	}
	m := linalg.Of(f)
	inner := linalg.New[float64](m.Cols, m.Cols)
	if err := linalg.GemmContext(ctx, threads, linalg.Trans, linalg.NoTrans, 1, m, m, 0, inner); err != nil {
		return nil, err
	}
	for i := range inner.Rows {
		inner.Row(i)[i] += shift
	}
	c, err := linalg.NewCholeskyContext(ctx, threads, inner)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("low-rank preconditioner: %w", err)
	}
	return &LowRank{f: m, inner: c, shift: shift, threads: threads}, nil
}

// ApplyTo sets dst = (F·Fᵀ + shift·I)⁻¹·r.
func (p *LowRank) ApplyTo(dst, r *mat.Dense) {
	d, b := linalg.Of(dst), linalg.Of(r)
	w := linalg.New[float64](p.f.Cols, b.Cols)
	linalg.Gemm(p.threads, linalg.Trans, linalg.NoTrans, 1, p.f, b, 0, w)
	p.inner.Solve(p.threads, w)
	d.CopyFrom(b)
	linalg.Gemm(p.threads, linalg.NoTrans, linalg.NoTrans, -1/p.shift, p.f, w, 1/p.shift, d)
}
