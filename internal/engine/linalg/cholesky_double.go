package linalg

import "context"

// Cholesky is the factorisation A = L·Lᵀ in double precision. It does what CholeskyOf[float64]
// does, and is a type of its own: what mentions an instance of a generic type compiles all of its
// methods.
type Cholesky struct {
	L Matrix[float64] // lower triangle; the strict upper triangle is not read
}

// NewCholesky is NewCholeskyOf.
//
//go:noinline
func NewCholesky(t int, a Matrix[float64]) (*Cholesky, error) {
	c, err := newCholesky(crew{threads: t}, a)
	return double(c, err)
}

// NewCholeskyContext is NewCholesky.
//
//go:noinline
func NewCholeskyContext(ctx context.Context, t int, a Matrix[float64]) (*Cholesky, error) {
	c, err := newCholesky(crew{threads: t, ctx: ctx}, a)
	return double(unlessEnded(ctx, c, err))
}

func double(c *CholeskyOf[float64], err error) (*Cholesky, error) {
	if err != nil {
		return nil, err
	}
	return &Cholesky{c.L}, nil
}

// Solve overwrites b, one right-hand side in each column, with A⁻¹·b.
//
//go:noinline
func (c *Cholesky) Solve(t int, b Matrix[float64]) { (&CholeskyOf[float64]{c.L}).Solve(t, b) }

// SolveL overwrites b with L⁻¹·b.
//
//go:noinline
func (c *Cholesky) SolveL(t int, b Matrix[float64]) { (&CholeskyOf[float64]{c.L}).SolveL(t, b) }

// SolveLT overwrites b with L⁻ᵀ·b.
//
//go:noinline
func (c *Cholesky) SolveLT(t int, b Matrix[float64]) { (&CholeskyOf[float64]{c.L}).SolveLT(t, b) }

// SolveContext is Solve.
//
//go:noinline
func (c *Cholesky) SolveContext(ctx context.Context, t int, b Matrix[float64]) error {
	return (&CholeskyOf[float64]{c.L}).SolveContext(ctx, t, b)
}

// SolveLContext is SolveL.
//
//go:noinline
func (c *Cholesky) SolveLContext(ctx context.Context, t int, b Matrix[float64]) error {
	return (&CholeskyOf[float64]{c.L}).SolveLContext(ctx, t, b)
}

// SolveLTContext is SolveLT.
//
//go:noinline
func (c *Cholesky) SolveLTContext(ctx context.Context, t int, b Matrix[float64]) error {
	return (&CholeskyOf[float64]{c.L}).SolveLTContext(ctx, t, b)
}

// SolveLRowwise is SolveLContext where a column of the result depends on its column of b alone, to
// the last bit.
//
//go:noinline
func (c *Cholesky) SolveLRowwise(ctx context.Context, t int, b Matrix[float64]) error {
	return (&CholeskyOf[float64]{c.L}).SolveLRowwise(ctx, t, b)
}

// LogDet returns log det A = 2·Σ log Lᵢᵢ.
//
//go:noinline
func (c *Cholesky) LogDet() float64 { return (&CholeskyOf[float64]{c.L}).LogDet() }

// Inverse returns A⁻¹ with both triangles filled; see CholeskyOf.Inverse for when to ask for it.
//
//go:noinline
func (c *Cholesky) Inverse(t int) Matrix[float64] { return (&CholeskyOf[float64]{c.L}).Inverse(t) }

// InverseContext is Inverse.
//
//go:noinline
func (c *Cholesky) InverseContext(ctx context.Context, t int) (Matrix[float64], error) {
	return (&CholeskyOf[float64]{c.L}).InverseContext(ctx, t)
}

// Cond estimates the condition number ‖A‖₁·‖A⁻¹‖₁ from the factor alone.
//
//go:noinline
func (c *Cholesky) Cond(t int) float64 { return (&CholeskyOf[float64]{c.L}).Cond(t) }
