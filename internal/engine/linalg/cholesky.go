package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// CholeskyOf is a factorisation A = L·Lᵀ of a symmetric positive definite
// matrix in precision F.
type CholeskyOf[F Float] struct {
	L Matrix[F] // lower triangle; the strict upper triangle is not read
}

// NewCholeskyOf factorises the symmetric matrix whose lower triangle is in a,
// overwriting it with L; the strict upper triangle is neither read nor
// written. The error is a *NotPositiveDefinite, after which the lower
// triangle of a is partly overwritten.
//
// The recursion A = [A₁₁ ·; A₂₁ A₂₂]: factor A₁₁, solve A₂₁ ← A₂₁·L₁₁⁻ᵀ, update
// A₂₂ ← A₂₂ − A₂₁·A₂₁ᵀ, factor A₂₂ (Gustavson 1997) leaves everything but
// n/choleskyBase tiny diagonal blocks to level-3 products, which is where the
// threads work: no panel is narrower than the half above it.
func NewCholeskyOf[F Float](t int, a Matrix[F]) (*CholeskyOf[F], error) {
	return newCholesky(crew{threads: t}, a)
}

func newCholesky[F Float](w crew, a Matrix[F]) (*CholeskyOf[F], error) {
	mustBeSquare("Cholesky", a)
	if err := instance[factorBody[F]](cholesky64, cholesky32)(w, a, 0); err != nil {
		return nil, err
	}
	return &CholeskyOf[F]{L: a}, nil
}

// choleskyBase is the order up to which the left-looking factorisation is used.
const choleskyBase = 48

func choleskyRecursive[F Float](w crew, a Matrix[F], first int) error {
	n := a.Rows
	if w.stopped() {
		return w.ctx.Err()
	}
	if n <= choleskyBase {
		return choleskyColumns(a, first)
	}
	if n > tiledLeast && n <= tiledMost {
		return choleskyTiled(w, a, first)
	}
	h := splitAt(n, choleskyBase)
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	if err := choleskyRecursive(w, a11, first); err != nil {
		return err
	}
	trsm(w, Right, Lower, Trans, NonUnit, 1, a11, a21)
	syrk(w, Lower, NoTrans, -1, a21, 1, a22)
	return choleskyRecursive(w, a22, first+h)
}

// choleskyColumns is the left-looking order: column j needs the inner products
// of the rows below with row j, which are independent and go by fours.
func choleskyColumns[F Float](a Matrix[F], first int) error {
	n := a.Rows
	for j := range n {
		rj := a.Row(j)
		x := rj[:j]
		d := rj[j] - simd.Dot(x, x)
		if !(d > 0) || math.IsInf(float64(d), 1) {
			return &NotPositiveDefinite{Pivot: first + j, Value: float64(d)}
		}
		root := F(math.Sqrt(float64(d)))
		rj[j] = root
		i := j + 1
		var s [4]F
		for ; i+4 <= n; i += 4 {
			simd.DotRows(a.Data[i*a.Stride:], a.Stride, x, &s)
			for r, v := range s {
				e := &a.Data[(i+r)*a.Stride+j]
				*e = (*e - v) / root
			}
		}
		for ; i < n; i++ {
			e := &a.Data[i*a.Stride+j]
			*e = (*e - simd.Dot(a.Row(i)[:j], x)) / root
		}
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
