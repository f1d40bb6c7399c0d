package learn

// Iterations is how many pair updates each machine took.
func (m *SVCModel[T, L]) Iterations() []int {
	out := make([]int, len(m.machines))
	for i, k := range m.machines {
		out[i] = k.steps
	}
	return out
}

// FitPlatt is Platt's (2000) maximum-likelihood sigmoid
// P(positive | f) = 1/(1 + exp(A·f + B)) through decision values f.
func FitPlatt(f []float64, positive []bool) (a, b float64) {
	weight := make([]float64, len(f))
	for i := range weight {
		weight[i] = 1
	}
	s := fitSigmoid(f, positive, weight)
	return s.A, s.B
}

// CouplePairs writes into p the class probabilities that agree best with the
// pairwise ones, r[a][b] ≈ p_a/(p_a + p_b) (Wu, Lin & Weng 2004).
func CouplePairs(p []float64, r [][]float64) { couple(p, r) }
