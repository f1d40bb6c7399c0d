package rkhs

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/kernel"
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

// NewMercer decomposes K(X, X). It keeps at most rank eigenvalues (0 means
// all), and of those the ones above n·ε·λ₁, below which they are rounding.
func NewMercer[T any](k kernel.Kernel[T], x data.Points[T], rank int) (*Mercer[T], error) {
	if x == nil || x.Len() == 0 {
		return nil, fmt.Errorf("rkhs: Mercer expansion on no points")
	}
	if rank < 0 {
		return nil, fmt.Errorf("rkhs: rank is %d, want at least 0 (0 means all)", rank)
	}
	if err := kernel.Check(k, x); err != nil {
		return nil, fmt.Errorf("rkhs: %w", err)
	}
	n := x.Len()
	m := linalg.New[float64](n, n)
	kernel.Fill(0, m, kernel.Prepare(k, x, x))
	values, u, err := linalg.SymEigen(0, m)
	if err != nil {
		return nil, fmt.Errorf("rkhs: Mercer expansion: %w", err)
	}
	if rank == 0 || rank > n {
		rank = n
	}
	floor := float64(n) * 0x1p-52 * math.Max(values[n-1], -values[0])
	keep := 0
	for keep < rank && values[n-1-keep] > floor {
		keep++
	}
	if keep == 0 {
		return nil, fmt.Errorf("rkhs: K has no positive eigenvalue (largest %g)", values[n-1])
	}
	e := &Mercer[T]{Kernel: k, Sample: x, Values: make([]float64, keep), Vectors: mat.NewDense(n, keep, nil)}
	for j := range keep {
		e.Values[j] = values[n-1-j]
		for i := range n {
			e.Vectors.Set(i, j, u.At(i, n-1-j))
		}
	}
	return e, nil
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
