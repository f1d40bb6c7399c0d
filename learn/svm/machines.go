package svm

import "github.com/mercer-ml/mercer/learn"

// Iterations is how many pair updates each machine took.
func (m *Classifier[T, L]) Iterations() []int {
	out := make([]int, len(m.machines))
	for i, k := range m.machines {
		out[i] = k.steps
	}
	return out
}

// Sigmoids is that of each machine, in the order of the columns of Decision; nil where the model
// has no probabilities.
func (m *Classifier[T, L]) Sigmoids() []learn.Sigmoid {
	return append([]learn.Sigmoid(nil), m.sigmoids...)
}
