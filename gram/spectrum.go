package gram

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// Spectrum is the eigenvalues of a Gram matrix, largest first.
func Spectrum(g Accessor) ([]float64, error) {
	n, _ := g.Dims()
	if n == 0 {
		return nil, nil
	}
	m := mat.NewDense(n, n, nil)
	g.Block(m, 0, 0)
	values, err := linalg.SymEigenValues(0, linalg.Of(m))
	slices.Sort(values)
	slices.Reverse(values)
	return values, err
}
