package learn

// Iterations is how many pair updates each machine took.
func (m *SVCModel[T, L]) Iterations() []int {
	out := make([]int, len(m.machines))
	for i, k := range m.machines {
		out[i] = k.steps
	}
	return out
}

// CouplePairs writes into p the class probabilities that agree best with the
// pairwise ones, r[a][b] ≈ p_a/(p_a + p_b) (Wu, Lin & Weng 2004).
// It reports whether they were found to within tol.
func CouplePairs(p []float64, r [][]float64, tol float64) bool { return couple(p, r, tol) }
