package ridge

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// One λ of five folds is five factorisations, which an eigendecomposition does not repay; twenty
// are a hundred, which it does. Few points are judged by it in either case.
func TestManyPenaltiesAreWorthAnEigendecomposition(t *testing.T) {
	for _, c := range []struct {
		n, lambdas int
		want       bool
	}{{4000, 1, false}, {4000, 4, false}, {4000, 20, true}, {mixedFrom - 1, 1, true}} {
		cells := &learn.Cells{Params: make([]map[string]float64, c.lambdas)}
		cells.Problem.Points = data.Erase[float64](data.Slice[float64](make([]float64, c.n)))
		for range 5 {
			cells.Folds = append(cells.Folds, data.Fold{Train: par.Indices(0, c.n*4/5)})
		}
		if got := worthSpectrum(cells); got != c.want {
			t.Errorf("%d points, %d penalties: %v, want %v", c.n, c.lambdas, got, c.want)
		}
	}
}
