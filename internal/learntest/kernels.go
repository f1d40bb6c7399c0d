package learntest

import "math"

// EvalOnly is a kernel of nothing but Eval, on a type that no fast path knows.
type EvalOnly struct{}

// Plane is a point of EvalOnly.
type Plane struct{ A, B float64 }

// Eval is a Gaussian of length-scale ½.
func (EvalOnly) Eval(x, y Plane) float64 {
	return math.Exp(-2 * ((x.A-y.A)*(x.A-y.A) + (x.B-y.B)*(x.B-y.B)))
}
