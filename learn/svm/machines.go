package svm

import "github.com/mercer-ml/mercer/learn"

// Iterations is how many pair updates each machine took.
func (m *classMachines) Iterations() []int {
	out := make([]int, len(m.each))
	for i, k := range m.each {
		out[i] = k.steps
	}
	return out
}

// Sigmoids is that of each machine, in the order of the columns of Decision; nil where the model
// has no probabilities.
func (m *classMachines) Sigmoids() []learn.Sigmoid {
	return append([]learn.Sigmoid(nil), m.sigmoids...)
}
