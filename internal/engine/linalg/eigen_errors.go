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
	return fmt.Sprintf("%s did not converge at index %d after %d iterations (residual %g)", e.Algorithm, e.Index,
		e.Iterations, e.Residual)
}

// finiteLower returns the largest |aᵢⱼ| of the lower triangle, or the first
// entry of it that is not finite.
func finiteLower(w crew, a Matrix[float64]) (float64, error) {
	const rows = 64
	largest := make([]float64, pieces(a.Rows, rows))
	w.each(a.Rows, rows, func(lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			most = max(most, largestAbs(a.Data[i*a.Stride:i*a.Stride+i+1]))
		}
		largest[lo/rows] = most
	})
	most := 0.0
	for p, v := range largest {
		if !(v <= math.MaxFloat64) {
			return 0, firstNotFinite(a, p*rows)
		}
		most = max(most, v)
	}
	return most, nil
}

// largestAbs is the largest |xᵢ|, NaN where one is. Without their signs floats are ordered as their
// bits are, NaN above all, and whole numbers are compared several at a time.
func largestAbs(x []float64) float64 {
	const magnitude = 1<<63 - 1
	var m0, m1, m2, m3 uint64
	for ; len(x) >= 4; x = x[4:] {
		m0 = max(m0, math.Float64bits(x[0])&magnitude)
		m1 = max(m1, math.Float64bits(x[1])&magnitude)
		m2 = max(m2, math.Float64bits(x[2])&magnitude)
		m3 = max(m3, math.Float64bits(x[3])&magnitude)
	}
	for _, v := range x {
		m0 = max(m0, math.Float64bits(v)&magnitude)
	}
	return math.Float64frombits(max(m0, m1, m2, m3))
}

// firstNotFinite is the complaint about the first entry of the lower triangle, from a row on, that
// is not finite.
func firstNotFinite(a Matrix[float64], row int) *NotFinite {
	for i := row; i < a.Rows; i++ {
		for j, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return &NotFinite{Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// finiteAll is finiteLower for every entry of a rectangular matrix.
func finiteAll(a Matrix[float64]) (float64, error) {
	largest := 0.0
	for i := range a.Rows {
		largest = max(largest, largestAbs(a.Row(i)))
	}
	if largest <= math.MaxFloat64 {
		return largest, nil
	}
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return 0, &NotFinite{Row: i, Col: j, Value: v}
			}
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
