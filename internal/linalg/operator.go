package linalg

import "gonum.org/v1/gonum/mat"

// Operator is a linear map known by its action on several columns at once.
// gram.Gram satisfies it.
type Operator interface {
	Dims() (r, c int)
	// MulTo sets dst = A·v, or Aᵀ·v when trans; dst is already of that shape
	// and shares no memory with v.
	MulTo(dst, v *mat.Dense, trans bool)
}
