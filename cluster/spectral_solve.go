package cluster

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

const (
	// invertLimit is the order up to which a graph's matrix is factored: n³/3
	// operations, of which 4096 takes about half a second.
	invertLimit = 4096
	// invertShift keeps (1+ε)I − A positive definite, A having eigenvalues up
	// to 1, well above rounding and below the gaps of graphs worth cutting.
	invertShift = 1e-4
)

// leading finds the k largest eigenpairs of a normalised graph A, with the
// residual ‖Av − λv‖ of each.
//
// Graphs of long thin clusters have many eigenvalues close to 1, which a Krylov
// method on A parts slowly. On ((1+ε)I − A)⁻¹ the same vectors belong to
// 1/(1+ε−λ), far from each other: a Cholesky factorisation and a few solves
// (the shift-and-invert transform of Ericsson and Ruhe 1980). The residuals
// are those of A itself; where they are not good enough, and for large or
// sparse graphs, A is taken as it is.
func leading(ctx context.Context, op linalg.Operator, k int, o linalg.TopKOptions) (*linalg.Eigs, error) {
	n, _ := op.Dims()
	if n <= invertLimit {
		if a, ok := asMatrix(op); ok {
			if e, err := inverted(ctx, a, op, k, o); err != nil || e != nil {
				return e, err
			}
		}
	}
	e, err := linalg.TopK(ctx, op, k, o)
	if err != nil {
		return nil, fault.In("cluster", err)
	}
	return e, nil
}

// asMatrix is a copy of the graph's lower triangle, where it is at hand.
func asMatrix(op linalg.Operator) (linalg.Matrix[float64], bool) {
	switch op := op.(type) {
	case linalg.SymmetricOp:
		return op.A.Clone(), true
	case sparseGraph:
		return op.w.ToDense(), true
	}
	return linalg.Matrix[float64]{}, false
}

// inverted returns nil where the residuals are above the tolerance. a is
// overwritten.
func inverted(
	ctx context.Context, a linalg.Matrix[float64], op linalg.Operator, k int, o linalg.TopKOptions,
) (*linalg.Eigs, error) {
	n := a.Rows
	for i := range n {
		row := a.Row(i)[:i+1]
		for j := range row {
			row[j] = -row[j]
		}
		row[i] += 1 + invertShift
	}
	c, err := linalg.NewCholeskyContext(ctx, o.Threads, a)
	if err != nil {
		return nil, nil
	}
	inner := o
	inner.Tolerance = 1e-12
	e, err := linalg.TopK(ctx, inverse{c, o.Threads}, k, inner)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil
	}
	// Values and residuals of A, by a product with it.
	av := linalg.New[float64](n, k)
	op.MulTo(linalg.Dense(av), linalg.Dense(e.Vectors), false)
	e.Norm = 0
	for j := range k {
		lambda, s := 0.0, 0.0
		for i := range n {
			lambda += av.At(i, j) * e.Vectors.At(i, j)
		}
		for i := range n {
			r := av.At(i, j) - lambda*e.Vectors.At(i, j)
			s += r * r
		}
		e.Values[j], e.Residuals[j] = lambda, math.Sqrt(s)
		e.Norm = math.Max(e.Norm, math.Abs(lambda))
	}
	for _, r := range e.Residuals {
		if !(r <= o.Tolerance*e.Norm) {
			return nil, nil
		}
	}
	return e, nil
}

// inverse applies A⁻¹ by its Cholesky factor.
type inverse struct {
	c       *linalg.Cholesky
	threads int
}

// Dims implements linalg.Operator.
func (v inverse) Dims() (r, c int) { return v.c.L.Rows, v.c.L.Rows }

// MulTo implements linalg.Operator.
func (v inverse) MulTo(dst, x *mat.Dense, _ bool) {
	d := linalg.Of(dst)
	d.CopyFrom(linalg.Of(x))
	v.c.Solve(v.threads, d)
}
