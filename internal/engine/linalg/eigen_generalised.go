package linalg

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// GenSymEigen solves A·v = λ·B·v for symmetric A and symmetric positive
// definite B, given by their lower triangles; both are overwritten. Values are
// ascending; the vectors, in the columns, satisfy Vᵀ·B·V = I.
//
// With B = L·Lᵀ it is the ordinary problem of L⁻¹·A·L⁻ᵀ, so errors are relative
// to ‖A‖·‖B⁻¹‖: an ill-conditioned B costs accuracy in the small eigenvalues.
// The error is a *NotPositiveDefinite for B, a *NotFinite or a *NoConvergence.
func GenSymEigen(t int, a, b Matrix[float64]) (values []float64, vectors Matrix[float64], err error) {
	return genSymEigen(crew{threads: t}, a, b, Selection{})
}

// GenSymEigenSelected is GenSymEigen for the pairs that sel selects.
func GenSymEigenSelected(t int, a, b Matrix[float64], sel Selection) (values []float64, vectors Matrix[float64], err error) {
	return genSymEigen(crew{threads: t}, a, b, sel)
}

func genSymEigen(w crew, a, b Matrix[float64], sel Selection) (values []float64, vectors Matrix[float64], err error) {
	if a.Rows != a.Cols || b.Rows != b.Cols || a.Rows != b.Rows {
		panic(fmt.Sprintf("linalg: generalised eigenproblem of %d×%d and %d×%d matrices", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	if _, err := finiteLower(a); err != nil {
		return nil, Matrix[float64]{}, err
	}
	if _, err := finiteLower(b); err != nil {
		return nil, Matrix[float64]{}, err
	}
	factor, err := newCholesky(w, b)
	if err != nil {
		return nil, Matrix[float64]{}, err
	}
	reduceLower(w, a, factor.L)
	values, vectors, err = symEigen(w, a, sel)
	if err != nil {
		return nil, Matrix[float64]{}, err
	}
	solveLowerTransposed(w, NonUnit, factor.L, vectors)
	if w.stopped() {
		return nil, Matrix[float64]{}, w.ctx.Err()
	}
	return values, vectors, nil
}

// GenTopK is TopK for A·v = λ·B·v, with A an operator and B the matrix whose
// Cholesky factor is b. The vectors satisfy Vᵀ·B·V = I. Residuals are those of the
// ordinary problem: ‖L⁻¹·(A·v − λ·B·v)‖₂, with Eigs.Norm the norm of L⁻¹·A·L⁻ᵀ.
func GenTopK(ctx context.Context, a Operator, b *Cholesky, k int, o TopKOptions) (*Eigs, error) {
	if r, c := a.Dims(); r != c || r != b.L.Rows {
		panic(fmt.Sprintf("linalg: generalised eigenproblem of a %d×%d operator and a factor of order %d", r, c, b.L.Rows))
	}
	e, err := TopK(ctx, &reducedOperator{a: a, b: b, t: o.Threads}, k, o)
	if e != nil {
		b.SolveLT(o.Threads, e.Vectors)
	}
	return e, err
}

var _ Operator = (*reducedOperator)(nil)

// reducedOperator is L⁻¹·A·L⁻ᵀ, the ordinary form of A·x = λ·L·Lᵀ·x.
type reducedOperator struct {
	a Operator
	b *Cholesky
	t int
}

func (o *reducedOperator) Dims() (r, c int) { return o.a.Dims() }

func (o *reducedOperator) MulTo(dst, v *mat.Dense, _ bool) {
	x := Of(v).Clone()
	o.b.SolveLT(o.t, x)
	o.a.MulTo(dst, Dense(x), false)
	o.b.SolveL(o.t, Of(dst))
}
