package linalg

import (
	"fmt"
	"math"
)

// NoConvergence reports the place at which an iteration was given up.
type NoConvergence struct {
	Algorithm  string
	Index      int // zero-based index of the eigenvalue, singular value or pair that was being computed
	Iterations int // spent on it
	Residual   float64
}

func (e *NoConvergence) Error() string {
	return fmt.Sprintf("%s did not converge at index %d after %d iterations (residual %g)", e.Algorithm, e.Index, e.Iterations, e.Residual)
}

// finiteLower returns the largest |aᵢⱼ| of the lower triangle, or the first
// entry of it that is not finite.
func finiteLower(a Matrix[float64]) (float64, error) {
	largest := 0.0
	for i := range a.Rows {
		row := a.Data[i*a.Stride : i*a.Stride+i+1]
		for j, v := range row {
			v = math.Abs(v)
			if !(v <= math.MaxFloat64) {
				return 0, &NotFinite{Row: i, Col: j, Value: row[j]}
			}
			largest = max(largest, v)
		}
	}
	return largest, nil
}

// finiteAll is finiteLower for every entry of a rectangular matrix.
func finiteAll(a Matrix[float64]) (float64, error) {
	largest := 0.0
	for i := range a.Rows {
		row := a.Row(i)
		for j, v := range row {
			v = math.Abs(v)
			if !(v <= math.MaxFloat64) {
				return 0, &NotFinite{Row: i, Col: j, Value: row[j]}
			}
			largest = max(largest, v)
		}
	}
	return largest, nil
}

// unitScale returns the power of two that brings largest into [1/2, 1), or as
// near as a finite factor can; 1 for zero.
func unitScale(largest float64) float64 {
	if largest == 0 {
		return 1
	}
	_, exp := math.Frexp(largest)
	return math.Ldexp(1, min(-exp, 1023))
}
