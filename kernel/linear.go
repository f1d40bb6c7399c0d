package kernel

// Linear is ⟨x, y⟩.
type Linear struct{}

// Eval returns ⟨x, y⟩.
func (Linear) Eval(x, y Vec) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// Metric is the inner product.
func (Linear) Metric() Metric { return Inner }

// Profile is the identity.
func (Linear) Profile([]float64) {}
