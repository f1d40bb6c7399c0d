package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// dense is a view whose R is held in full.
type dense interface {
	matrix() linalg.Matrix[float64]
}

func (e *exactWhitened) matrix() linalg.Matrix[float64] { return e.r }

// leading finds the k largest eigenpairs of the blocks. Two views held in full
// have a shorter way: with C = R₁·R₂ the pairs are (u, Cᵀu/σ)/√2 for the singular
// values σ of C, and C·Cᵀ has half the order and twice the relative gaps. Its
// pairs are taken where their residuals in the problem itself are within the
// tolerance.
func (c CCA) leading(ctx context.Context, op blockOp, k int) (*linalg.Eigs, error) {
	o := linalg.TopKOptions{Tolerance: c.Tolerance, Seed: c.Seed, Threads: c.Threads}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if len(op.views) == 2 {
		a, ok1 := op.views[0].(dense)
		b, ok2 := op.views[1].(dense)
		if ok1 && ok2 {
			if e := c.pair(ctx, op, a.matrix(), b.matrix(), k, o); e != nil {
				return e, nil
			}
		}
	}
	return linalg.TopK(ctx, op, k, o)
}

// pair returns nil where the short way is not accurate enough.
func (c CCA) pair(
	ctx context.Context, op blockOp, r1, r2 linalg.Matrix[float64], k int, o linalg.TopKOptions,
) *linalg.Eigs {
	n := op.n
	m, s := linalg.New[float64](n, n), linalg.New[float64](n, n)
	if linalg.GemmContext(ctx, c.Threads, linalg.NoTrans, linalg.NoTrans, 1, r1, r2, 0, m) != nil ||
		linalg.SyrkContext(ctx, c.Threads, linalg.Lower, linalg.NoTrans, 1, m, 0, s) != nil {
		return nil // the context has ended, which who asks sees, too
	}
	inner := o
	inner.Tolerance = math.Min(o.Tolerance, 1e-12)
	e, err := linalg.TopK(ctx, linalg.SymmetricOp{A: s, Threads: c.Threads}, k, inner)
	if err != nil || !(e.Values[k-1] > 0) {
		return nil
	}
	v := linalg.New[float64](n, k)
	linalg.Gemm(c.Threads, linalg.Trans, linalg.NoTrans, 1, m, e.Vectors, 0, v)
	both, image := linalg.New[float64](2*n, k), linalg.New[float64](2*n, k)
	for j := range k {
		e.Values[j] = math.Sqrt(e.Values[j])
		for i := range n {
			both.Set(i, j, e.Vectors.At(i, j)*math.Sqrt2/2)
			both.Set(n+i, j, v.At(i, j)/e.Values[j]*math.Sqrt2/2)
		}
	}
	op.MulTo(linalg.Dense(image), linalg.Dense(both), false)
	e.Norm, e.Vectors = e.Values[0], both
	for j, value := range e.Values {
		sum := 0.0
		for i := range 2 * n {
			d := image.At(i, j) - value*both.At(i, j)
			sum += d * d
		}
		e.Residuals[j] = math.Sqrt(sum)
		if !(e.Residuals[j] <= o.Tolerance*e.Norm) {
			return nil
		}
	}
	return e
}
