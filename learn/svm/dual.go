package svm

import "gonum.org/v1/gonum/mat"

// Dual is the coefficients of the support vectors, a row for each of Support and a column for each
// machine: those of Func, or where Func has the weights of features in place of points, those that
// its weights are the sum by. It is nil where there is no Support, as of a model read from a file.
func (m *Classifier[T, L]) Dual() *mat.Dense { return dualOf(m.support, m.each, m.f.Coef) }

// Dual is the coefficients of the support vectors, a row for each of Support, as of a Classifier.
func (m *Regressor[T]) Dual() *mat.Dense {
	return dualOf(m.Support(), []*machine{m.machine}, m.Func().Coef)
}

// dualOf gathers the coefficients that machines kept; where they kept none, they are those of Func.
func dualOf(support []int, each []*machine, ofFunc *mat.Dense) *mat.Dense {
	if len(support) == 0 {
		return nil
	}
	if each[0].coef == nil {
		return mat.DenseCopyOf(ofFunc)
	}
	row := make(map[int]int, len(support))
	for i, p := range support {
		row[p] = i
	}
	out := mat.NewDense(len(support), len(each), nil)
	for k, m := range each {
		for t, a := range m.coef {
			p := t
			if m.index != nil {
				p = m.index[t]
			}
			if a != 0 {
				out.Set(row[p], k, a)
			}
		}
	}
	return out
}
