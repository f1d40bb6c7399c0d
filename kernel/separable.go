package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Operator is an operator-valued (vector-output) kernel: K(x, y) is a p×p matrix,
// and Σᵢⱼ uᵢᵀK(xᵢ, xⱼ)uⱼ ≥ 0 for all points and all vectors uᵢ in Rᵖ.
type Operator[T any] interface {
	Outputs() int
	EvalTo(dst *mat.Dense, x, y T)
}

// Separable is the operator-valued kernel k(x, y)B with B symmetric positive semi-definite: B
// says how the outputs are correlated, k how the inputs are.
type Separable[T any] struct {
	Kernel Kernel[T]
	B      *mat.SymDense
}

// Outputs is p.
func (k Separable[T]) Outputs() int { return k.B.SymmetricDim() }

// EvalTo sets dst = k(x, y)B.
func (k Separable[T]) EvalTo(dst *mat.Dense, x, y T) { dst.Scale(k.Kernel.Eval(x, y), k.B) }

// Output is a point together with the number of an output. An operator-valued kernel is a
// scalar kernel on such pairs: k((x, a), (y, b)) = K(x, y)ₐᵦ, which is how it goes into
// scalar learners.
type Output[T any] = Pair[T, int]

// Scalar is the scalar kernel k(x, y)Bₐᵦ on points with an output.
func (k Separable[T]) Scalar() Kernel[Output[T]] {
	p := k.B.SymmetricDim()
	dense := mat.NewDense(p, p, nil)
	dense.Copy(k.B)
	return Tensor[T, int](k.Kernel, Precomputed{K: dense})
}

// Validate refuses a B that is not positive semi-definite.
func (k Separable[T]) Validate() error {
	if err := (QuadraticForm{k.B}).Validate(); err != nil {
		return fault.Errorf("kernel", "separable: B: %w", err)
	}
	return validate(k.Kernel)
}

// Block sets dst to the Kronecker product K⊗B: block (i, j) is k(xᵢ, yⱼ)B. The error is that of
// ctx.
func (k Separable[T]) Block(ctx context.Context, dst *mat.Dense, x, y data.Points[T]) error {
	scalar := mat.NewDense(x.Len(), y.Len(), nil)
	if err := Block(ctx, k.Kernel, scalar, x, y); err != nil {
		return err
	}
	dst.Kronecker(scalar, k.B)
	return nil
}
