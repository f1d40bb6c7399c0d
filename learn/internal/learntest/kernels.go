package learntest

import (
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// EvalOnly is a kernel of nothing but Eval, on a type that no fast path knows.
type EvalOnly struct{}

// Plane is a point of EvalOnly.
type Plane struct{ A, B float64 }

func (EvalOnly) Eval(x, y Plane) float64 {
	return math.Exp(-2 * ((x.A-y.A)*(x.A-y.A) + (x.B-y.B)*(x.B-y.B)))
}

// Slow is a kernel whose every value takes a while.
type Slow struct{ kernel kernel.Gaussian }

func (s Slow) Eval(x, y kernel.Vec) float64 {
	v := 0.0
	for range 40 {
		v += s.kernel.Eval(x, y)
	}
	return v / 40
}
