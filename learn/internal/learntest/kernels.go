package learntest

import (
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// evalOnly is a kernel of nothing but Eval, on a type that no fast path knows.
type EvalOnly struct{}

type Plane struct{ a, b float64 }

func (EvalOnly) Eval(x, y Plane) float64 {
	return math.Exp(-2 * ((x.a-y.a)*(x.a-y.a) + (x.b-y.b)*(x.b-y.b)))
}

// slow is a kernel whose every value takes a while.
type Slow struct{ kernel kernel.Gaussian }

func (s Slow) Eval(x, y kernel.Vec) float64 {
	v := 0.0
	for range 40 {
		v += s.kernel.Eval(x, y)
	}
	return v / 40
}
