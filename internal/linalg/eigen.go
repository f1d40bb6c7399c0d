package linalg

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// SymEigen computes all eigenpairs of the symmetric matrix whose lower
// triangle is in a: values in ascending order, vectors in the columns. a is
// overwritten.
func SymEigen(t Threads, a Matrix[float64]) (values []float64, vectors Matrix[float64], err error) {
	s := mat.NewSymDense(a.Rows, nil)
	for i := range a.Rows {
		for j := range i + 1 {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, Matrix[float64]{}, errors.New("symmetric eigendecomposition did not converge")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return e.Values(nil), Of(&v), nil
}
