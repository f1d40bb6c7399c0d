package linalg

import "context"

// The routines of this file are those of the same name without Context, bit
// for bit, that give up when the context ends, whatever the order of their
// matrices: some ten milliseconds later they return the context's error, no
// goroutine of theirs is left, and what they were to overwrite is in an
// unspecified state. The looks at the context cost nothing that can be measured.

// GemmContext is Gemm.
func GemmContext[F Float](ctx context.Context, t int, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) error {
	gemm(crew{threads: t, ctx: ctx}, ta, tb, alpha, a, b, beta, c)
	return ctx.Err()
}

// SyrkContext is Syrk.
func SyrkContext[F Float](
	ctx context.Context, t int, u Triangle, ta Op, alpha F, a Matrix[F], beta F, c Matrix[F],
) error {
	syrk(crew{threads: t, ctx: ctx}, u, ta, alpha, a, beta, c)
	return ctx.Err()
}

// TrsmContext is Trsm.
func TrsmContext[F Float](
	ctx context.Context, t int, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F],
) error {
	trsm(crew{threads: t, ctx: ctx}, s, u, ta, d, alpha, a, b)
	return ctx.Err()
}

// NewCholeskyOfContext is NewCholeskyOf.
func NewCholeskyOfContext[F Float](ctx context.Context, t int, a Matrix[F]) (*CholeskyOf[F], error) {
	c, err := newCholesky(crew{threads: t, ctx: ctx}, a)
	return unlessEnded(ctx, c, err)
}

// SolveContext is Solve.
func (c *CholeskyOf[F]) SolveContext(ctx context.Context, t int, b Matrix[F]) error {
	c.mustFit(b)
	solveLower(crew{threads: t, ctx: ctx}, NonUnit, c.L, b)
	solveLowerTransposed(crew{threads: t, ctx: ctx}, NonUnit, c.L, b)
	return ctx.Err()
}

// SolveLRowwise is SolveLContext where a column of the result depends on its column of b alone, to
// the last bit.
func (c *CholeskyOf[F]) SolveLRowwise(ctx context.Context, t int, b Matrix[F]) error {
	c.mustFit(b)
	solveLower(crew{threads: t, ctx: ctx, rowwise: true}, NonUnit, c.L, b)
	return ctx.Err()
}

// SolveLContext is SolveL.
func (c *CholeskyOf[F]) SolveLContext(ctx context.Context, t int, b Matrix[F]) error {
	c.mustFit(b)
	solveLower(crew{threads: t, ctx: ctx}, NonUnit, c.L, b)
	return ctx.Err()
}

// SolveLTContext is SolveLT.
func (c *CholeskyOf[F]) SolveLTContext(ctx context.Context, t int, b Matrix[F]) error {
	c.mustFit(b)
	solveLowerTransposed(crew{threads: t, ctx: ctx}, NonUnit, c.L, b)
	return ctx.Err()
}

// InverseContext is Inverse.
func (c *CholeskyOf[F]) InverseContext(ctx context.Context, t int) (Matrix[F], error) {
	m := c.inverse(crew{threads: t, ctx: ctx})
	return unlessEnded(ctx, m, nil)
}

// NewPivotedCholeskyContext is NewPivotedCholesky.
func NewPivotedCholeskyContext(
	ctx context.Context, t int, a Matrix[float64], o PivotedOptions,
) (*PivotedCholesky, error) {
	p, err := newPivotedCholesky(crew{threads: t, ctx: ctx}, a, o)
	return unlessEnded(ctx, p, err)
}

// NewPivotedCholeskyFromContext is NewPivotedCholeskyFrom; the context is looked
// at between columns.
func NewPivotedCholeskyFromContext(
	ctx context.Context, t int, diag []float64, column func(dst []float64, j int), o PivotedOptions,
) (*PivotedCholesky, error) {
	p, err := newPivotedCholeskyFrom(crew{threads: t, ctx: ctx}, diag, column, o)
	return unlessEnded(ctx, p, err)
}

// NewQRContext is NewQR.
func NewQRContext(ctx context.Context, t int, a Matrix[float64]) (*QR, error) {
	q := newQR(crew{threads: t, ctx: ctx}, a)
	return unlessEnded(ctx, q, nil)
}

// NewPivotedQRContext is NewPivotedQR.
func NewPivotedQRContext(ctx context.Context, t int, a Matrix[float64]) (*PivotedQR, error) {
	q := newPivotedQR(crew{threads: t, ctx: ctx}, a)
	return unlessEnded(ctx, q, nil)
}

// SymEigenContext is SymEigen.
func SymEigenContext(
	ctx context.Context, t int, a Matrix[float64],
) (values []float64, vectors Matrix[float64], err error) {
	return SymEigenSelectedContext(ctx, t, a, Selection{})
}

// SymEigenSelectedContext is SymEigenSelected.
func SymEigenSelectedContext(
	ctx context.Context, t int, a Matrix[float64], sel Selection,
) (values []float64, vectors Matrix[float64], err error) {
	values, vectors, err = symEigen(crew{threads: t, ctx: ctx}, a, sel)
	if ctx.Err() != nil {
		return nil, Matrix[float64]{}, ctx.Err()
	}
	return values, vectors, err
}

// SymEigenValuesContext is SymEigenValues.
func SymEigenValuesContext(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
	values, err := symEigenValues(crew{threads: t, ctx: ctx}, a)
	return unlessEnded(ctx, values, err)
}

// unlessEnded is the result and the error, or the context's error alone: a
// routine that was called off has nothing true to say about its matrix.
func unlessEnded[R any](ctx context.Context, r R, err error) (R, error) {
	if ended := ctx.Err(); ended != nil {
		var none R
		return none, ended
	}
	return r, err
}
