package apply

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// OwnPoints copies points into a matrix, refusing what is not a table of
// finite numbers.
func OwnPoints(x data.Points[[]float64]) (linalg.Matrix[float64], error) {
	if x == nil || x.Len() == 0 {
		return linalg.Matrix[float64]{}, errors.New("there are no points; give at least one")
	}
	d := len(x.At(0))
	if d == 0 {
		return linalg.Matrix[float64]{}, errors.New("the points have no columns; give at least one")
	}
	return Queries(x, d)
}

// Queries copies points of d columns into a matrix, refusing what is not finite. No points are a
// matrix without rows.
func Queries(x data.Points[[]float64], d int) (linalg.Matrix[float64], error) {
	if x == nil {
		return linalg.Matrix[float64]{}, errNilPoints
	}
	m := linalg.New[float64](x.Len(), d)
	return m, par.Check(0, m.Rows, queryRows, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			row := x.At(i)
			if len(row) != d {
				return fmt.Errorf("row %d has %d columns, not %d", i, len(row), d)
			}
			for j, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("row %d, column %d is %g; remove or replace it", i, j, v)
				}
				if math.Abs(v) > largestInput {
					return fmt.Errorf("row %d, column %d is %g, whose square overflows; rescale the column", i, j, v)
				}
			}
			copy(m.Row(i), row)
		}
		return nil
	})
}

// queryRows is how many rows a goroutine looks through.
const queryRows = 1 << 12

// largestInput is the number beyond which squared distances are not safe.
const largestInput = 1e150

// OwnTargets copies targets, refusing what is not finite.
func OwnTargets(t []float64, n int) ([]float64, error) {
	if len(t) != n {
		return nil, fmt.Errorf("%d points but %d targets", n, len(t))
	}
	for i, v := range t {
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > largestInput {
			return nil, fmt.Errorf("target %d is %g; remove or replace it", i, v)
		}
	}
	return append([]float64(nil), t...), nil
}

// OwnWeights copies weights and scales them to add up to one; nil stays nil.
func OwnWeights(w []float64, n int) ([]float64, error) {
	if w == nil {
		return nil, nil
	}
	if len(w) != n {
		return nil, fmt.Errorf("%d points but %d weights", n, len(w))
	}
	top := 0.0
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("weight %d is %g; weights are finite and not negative", i, v)
		}
		top = max(top, v)
	}
	if top == 0 {
		return nil, errors.New("all weights are zero; give at least one that is positive")
	}
	own, sum := make([]float64, n), 0.0
	for i, v := range w {
		own[i] = v / top
		sum += own[i]
	}
	for i := range own {
		own[i] /= sum
	}
	return own, nil
}
