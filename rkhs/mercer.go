package rkhs

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Mercer is the spectral decomposition K = U·Λ·Uᵀ of a kernel on a sample,
// continued to all points.
type Mercer[T any] struct {
	Kernel  kernel.Kernel[T]
	Sample  data.Points[T]
	Values  []float64  // eigenvalues λ of K, largest first
	Vectors *mat.Dense // U, a column for each
}

// NewMercer decomposes K(X, X). It keeps at most rank eigenvalues (0 means all), and of those the
// ones above n·ε·‖K‖, below which they are rounding. Where rank is small beside n only those are
// computed. Features and Eigenfunctions are functions, to be evaluated as such.
func NewMercer[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], rank int) (*Mercer[T], error) {
	if x == nil || x.Len() == 0 {
		return nil, fault.Errorf("rkhs", "Mercer expansion on no points")
	}
	if rank < 0 {
		return nil, fault.Errorf("rkhs", "rank is %d, want at least 0 (0 means all)", rank)
	}
	if err := kernel.Check(k, x); err != nil {
		return nil, fault.In("rkhs", err)
	}
	n := x.Len()
	if rank == 0 || rank > n {
		rank = n
	}
	m := linalg.New[float64](n, n)
	if err := kernel.Fill(0, blas64.General(m), kernel.Prepare(ctx, k, x, x)); err != nil {
		return nil, err
	}
	values, u, size, err := largest(ctx, m, rank)
	if err != nil {
		return nil, fault.Errorf("rkhs", "Mercer expansion: %w", err)
	}
	floor := float64(n) * 0x1p-52 * size
	keep := 0
	for keep < rank && values[keep] > floor {
		keep++
	}
	if keep == 0 {
		return nil, fault.Errorf("rkhs", "K has no positive eigenvalue (largest %g)", values[0])
	}
	e := &Mercer[T]{Kernel: k, Sample: x, Values: values[:keep], Vectors: mat.NewDense(n, keep, nil)}
	for i := range n {
		copy(e.Vectors.RawRowView(i), u.Row(i)[:keep])
	}
	return e, nil
}

// fewOf is how many times more eigenvalues there are than wanted ones where a Krylov method
// beats the whole decomposition.
const fewOf = 8

// largest are the eigenvalues at the upper end, largest first, with their vectors in columns
// and the norm of the matrix: by block Lanczos where few are wanted, else all are computed.
func largest(
	ctx context.Context, m linalg.Matrix[float64], rank int,
) (values []float64, u linalg.Matrix[float64], size float64, err error) {
	n := m.Rows
	if n > 256 && rank*fewOf <= n {
		e, err := linalg.TopK(ctx, linalg.SymmetricOp{A: m}, rank, linalg.TopKOptions{Tolerance: 1e-13})
		if err == nil {
			return e.Values, e.Vectors, e.Norm, nil
		}
		var slow *linalg.NoConvergence
		if !errors.As(err, &slow) {
			return nil, u, 0, err
		}
	}
	all, v, err := linalg.SymEigenContext(ctx, 0, m)
	if err != nil {
		return nil, u, 0, err
	}
	values, u = make([]float64, rank), linalg.New[float64](n, rank)
	for j := range rank {
		values[j] = all[n-1-j]
		for i := range n {
			u.Set(i, j, v.At(i, n-1-j))
		}
	}
	return values, u, math.Max(all[n-1], -all[0]), nil
}

// scaled is Σᵢ U·diag(scale) k(xᵢ, ·), an output for each eigenvalue.
func (e *Mercer[T]) scaled(scale func(lambda float64) float64) *Func[T] {
	coef := mat.DenseCopyOf(e.Vectors)
	r, _ := coef.Dims()
	for j, v := range e.Values {
		s := scale(v)
		for i := range r {
			coef.Set(i, j, s*coef.At(i, j))
		}
	}
	return &Func[T]{Kernel: e.Kernel, Centers: e.Sample, Coef: coef}
}

// Features is the empirical feature map, an output for each eigenvalue:
// φ(x) = Λ^{-1/2}·Uᵀ·k(X, x). On the sample it is Λ^{1/2}·Uᵀ, and
// ⟨φ(x), φ(y)⟩ = k(x, y) whenever x or y is in the sample. Its outputs are
// orthonormal in H.
func (e *Mercer[T]) Features() *Func[T] {
	return e.scaled(func(v float64) float64 { return 1 / math.Sqrt(v) })
}

// Eigenfunctions are ψⱼ(x) = (√n/λⱼ)·Σᵢ Uᵢⱼ k(xᵢ, x), Nyström's estimates of
// the eigenfunctions of f ↦ ∫ k(·, y) f(y) dP(y), orthonormal in L₂ of the
// sample, with eigenvalues Eigenvalues.
func (e *Mercer[T]) Eigenfunctions() *Func[T] {
	n := math.Sqrt(float64(e.Sample.Len()))
	return e.scaled(func(v float64) float64 { return n / v })
}

// Eigenvalues are λⱼ/n, estimates of those of the integral operator.
func (e *Mercer[T]) Eigenvalues() []float64 {
	mu := make([]float64, len(e.Values))
	for j, v := range e.Values {
		mu[j] = v / float64(e.Sample.Len())
	}
	return mu
}
