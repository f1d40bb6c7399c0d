package learn

import "math"

// Sigmoid maps the decision value f of a machine to a probability,
// P(y = +1 | f) = 1/(1 + exp(A·f + B)).
type Sigmoid struct{ A, B float64 }

// At is the probability for decision value f, in (0, 1).
func (s Sigmoid) At(f float64) float64 {
	t := s.A*f + s.B
	if t >= 0 {
		e := math.Exp(-t)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(t))
}
