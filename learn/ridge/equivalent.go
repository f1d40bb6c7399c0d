package ridge

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// EquivalentWeights returns the weights of the targets in what a fit to the points x predicts, a
// row for each point of at and a column for each of x,
//
//	f(z) + b = Σᵢ hᵢ(z)·yᵢ,   h(z) = k(z)ᵀ(K + λW⁻¹)⁻¹ without intercept,
//
// the equivalent kernel of a linear smoother (Silverman 1984). They do not depend on the targets:
// they are the predictions from each target that is 1 at one point and 0 elsewhere. At x itself
// they are the hat matrix, whose trace is the number of effective parameters.
func (r Regression[T]) EquivalentWeights(ctx context.Context, x, at data.Points[T]) (*mat.Dense, error) {
	return r.open().equivalentWeights(ctx, data.Erase(x), data.Erase(at))
}

func (r regression) equivalentWeights(ctx context.Context, x, at data.Points[any]) (*mat.Dense, error) {
	n := 0
	if x != nil {
		n = x.Len()
	}
	unit := new(mat.Dense) // of no points: refused by the fit
	if n > 0 {
		unit = mat.NewDense(n, n, nil)
	}
	for i := range n {
		unit.Set(i, i, 1)
	}
	m, err := r.fit(ctx, x, unit)
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	return m.PredictMulti(ctx, at)
}
