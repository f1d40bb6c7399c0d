package learn

// Sigmoid maps the decision value f of a machine to a probability,
// P(y = +1 | f) = 1/(1 + exp(A·f + B)).
type Sigmoid struct{ A, B float64 }

// FitSigmoid is Platt's (2000) sigmoid through decision values by maximum
// likelihood; weight is nil or has one weight for each value. The values must come from points the
// machine was not fitted on, or the probabilities are too sure of themselves.
func FitSigmoid(f []float64, positive []bool, weight []float64) Sigmoid {
	if weight == nil {
		weight = make([]float64, len(f))
		for i := range weight {
			weight[i] = 1
		}
	}
	return Sigmoid(fitSigmoid(f, positive, weight))
}

// At is the probability for decision value f.
func (s Sigmoid) At(f float64) float64 { return sigmoid(s).at(f) }
