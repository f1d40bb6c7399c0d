package linalg

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// NotPositiveDefinite reports the pivot at which a Cholesky factorisation
// stopped.
type NotPositiveDefinite struct {
	Pivot int     // zero-based row
	Value float64 // what stood there instead of a positive number
}

func (e *NotPositiveDefinite) Error() string {
	return fmt.Sprintf("matrix is not positive definite: pivot %d is %g", e.Pivot, e.Value)
}

// Cholesky is a factorisation A = L·Lᵀ.
type Cholesky struct {
	L Matrix[float64] // lower triangle; the strict upper triangle is not read
}

// NewCholesky factorises the symmetric matrix whose lower triangle is in a,
// overwriting it with L. The error is a *NotPositiveDefinite.
func NewCholesky(t Threads, a Matrix[float64]) (*Cholesky, error) {
	_, ok := lapack64.Potrf(blas64.Symmetric{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: blas.Lower})
	if !ok {
		return nil, &NotPositiveDefinite{Pivot: -1, Value: math.NaN()}
	}
	return &Cholesky{L: a}, nil
}

func (c *Cholesky) tri() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: c.L.Rows, Stride: c.L.Stride, Data: c.L.Data}
}

// Solve overwrites b with A⁻¹·b.
func (c *Cholesky) Solve(t Threads, b Matrix[float64]) {
	lapack64.Potrs(blas64.Triangular(c.tri()), blas64.General(b))
}

// LogDet returns log det A.
func (c *Cholesky) LogDet() float64 {
	s := 0.0
	for i := range c.L.Rows {
		s += math.Log(c.L.At(i, i))
	}
	return 2 * s
}
