package cuda

// Dense is linear algebra in double precision on matrices in the memory of a device, row by row, n numbers from row to row. Only the lower
// triangle of a symmetric matrix and of a factor is read and written.
type Dense interface {
	// Cholesky factorises a = LLᵀ in place. bad is 0, or the number of the first leading minor that is not positive.
	Cholesky(q Stream, n int, a Ptr) (bad int, err error)
	// Gram sets c = aᵀa of a k×n matrix.
	Gram(q Stream, n, k int, a, c Ptr) error
	// Solve sets b = L⁻¹b or, transposed, L⁻ᵀb for the columns of b, each n numbers long.
	Solve(q Stream, n int, l Ptr, transposed bool, columns int, b Ptr) error
	// Name says which libraries they are.
	Name() string
}
