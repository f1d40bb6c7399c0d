package linalg

import "context"

// contextFlops is the work between two looks at the context: some ten
// milliseconds.
const contextFlops = 1e9

// NewCholeskyContext is NewCholesky that gives up when the context ends, a few
// tens of milliseconds later whatever the order of a. The error is then the
// context's; the lower triangle of a is partly overwritten.
//
// It is the left-looking block algorithm, cut so that no piece is large: a
// panel of columns takes the products with all columns before it, is factored
// on the diagonal and solved below.
func NewCholeskyContext[F Float](ctx context.Context, t Threads, a Matrix[F]) (*CholeskyOf[F], error) {
	const width = 384
	mustBeSquare("cholesky", a)
	n := a.Rows
	if n <= 4*width {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return NewCholesky(t, a)
	}
	for j := 0; j < n; j += width {
		j1 := min(j+width, n)
		rows := max(int(contextFlops/(2*float64(width)*float64(j+width))), width)
		diagonal := a.Slice(j, j1, j, j1)
		if j > 0 {
			Syrk(t, Lower, NoTrans, -1, a.Slice(j, j1, 0, j), 1, diagonal)
		}
		if _, err := NewCholesky(t, diagonal); err != nil {
			if e, ok := err.(*NotPositiveDefinite); ok {
				e.Pivot += j
			}
			return nil, err
		}
		for i := j1; i < n; i += rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i1 := min(i+rows, n)
			panel := a.Slice(i, i1, j, j1)
			if j > 0 {
				Gemm(t, NoTrans, Trans, -1, a.Slice(i, i1, 0, j), a.Slice(j, j1, 0, j), 1, panel)
			}
			Trsm(t, Right, Lower, Trans, NonUnit, 1, diagonal, panel)
		}
	}
	return &CholeskyOf[F]{L: a}, nil
}
