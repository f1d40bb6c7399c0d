package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/simd"
)

// CholeskyOf is a factorisation A = L·Lᵀ of a symmetric positive definite
// matrix in precision F.
type CholeskyOf[F Float] struct {
	L Matrix[F] // lower triangle; the strict upper triangle is not read
}

// Cholesky is the factorisation in float64.
type Cholesky = CholeskyOf[float64]

// NewCholesky factorises the symmetric matrix whose lower triangle is in a,
// overwriting it with L; the strict upper triangle is neither read nor
// written. The error is a *NotPositiveDefinite, after which the lower
// triangle of a is partly overwritten.
//
// The recursion A = [A₁₁ ·; A₂₁ A₂₂]: factor A₁₁, solve A₂₁ ← A₂₁·L₁₁⁻ᵀ, update
// A₂₂ ← A₂₂ − A₂₁·A₂₁ᵀ, factor A₂₂ (Gustavson 1997) leaves everything but
// n/choleskyBase tiny diagonal blocks to level-3 products, which is where the
// threads work: no panel is narrower than the half above it.
func NewCholesky[F Float](t Threads, a Matrix[F]) (*CholeskyOf[F], error) {
	mustBeSquare("Cholesky", a)
	if err := choleskyRecursive(t, a, 0); err != nil {
		return nil, err
	}
	return &CholeskyOf[F]{L: a}, nil
}

// choleskyBase is the order up to which the row-by-row factorisation is used.
const choleskyBase = 48

func choleskyRecursive[F Float](t Threads, a Matrix[F], first int) error {
	n := a.Rows
	if n <= choleskyBase {
		return choleskyRows(a, first)
	}
	h := splitAt(n, choleskyBase)
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	if err := choleskyRecursive(t, a11, first); err != nil {
		return err
	}
	Trsm(t, Right, Lower, Trans, NonUnit, 1, a11, a21)
	Syrk(t, Lower, NoTrans, -1, a21, 1, a22)
	return choleskyRecursive(t, a22, first+h)
}

// choleskyRows is the Cholesky–Banachiewicz order: every inner product is of
// two contiguous rows of L.
func choleskyRows[F Float](a Matrix[F], first int) error {
	for i := range a.Rows {
		ri := a.Row(i)
		for j := range i {
			rj := a.Row(j)
			ri[j] = (ri[j] - simd.Dot(ri[:j], rj[:j])) / rj[j]
		}
		d := ri[i] - simd.Dot(ri[:i], ri[:i])
		if !(d > 0) || math.IsInf(float64(d), 1) {
			return &NotPositiveDefinite{Pivot: first + i, Value: float64(d)}
		}
		ri[i] = F(math.Sqrt(float64(d)))
	}
	return nil
}

// splitAt halves n so that the first part is a multiple of base, which keeps
// the leaves of a recursion full.
func splitAt(n, base int) int {
	return max((n/2+base-1)/base*base, base)
}

func mustBeSquare[F Float](what string, a Matrix[F]) {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("linalg: %s of a %d×%d matrix: it must be square", what, a.Rows, a.Cols))
	}
}
