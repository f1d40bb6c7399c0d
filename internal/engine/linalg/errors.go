package linalg

import "fmt"

// NotPositiveDefinite reports the pivot at which a Cholesky factorisation, or
// a rank-one downdate of one, stopped.
type NotPositiveDefinite struct {
	Pivot int     // zero-based row
	Value float64 // what stood there instead of a positive finite number
}

func (e *NotPositiveDefinite) Error() string {
	return fmt.Sprintf("matrix is not positive definite: pivot %d is %g", e.Pivot, e.Value)
}

// Singular reports an exactly zero (or not finite) pivot in a factorisation
// that a solve would have to divide by.
type Singular struct {
	Pivot int     // zero-based position in the order of elimination
	Value float64 // what stood there: 0, or NaN or ±Inf from bad input
}

func (e *Singular) Error() string {
	return fmt.Sprintf("matrix is singular: pivot %d is %g", e.Pivot, e.Value)
}

// NotFinite reports a NaN or infinite entry of an input.
type NotFinite struct {
	Row, Col int
	Value    float64
}

func (e *NotFinite) Error() string {
	return fmt.Sprintf("entry (%d, %d) is %g: every entry must be finite", e.Row, e.Col, e.Value)
}
