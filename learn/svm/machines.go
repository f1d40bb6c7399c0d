package svm

// Iterations is how many pair updates each machine took.
func (m *Classifier[T, L]) Iterations() []int {
	out := make([]int, len(m.machines))
	for i, k := range m.machines {
		out[i] = k.steps
	}
	return out
}
