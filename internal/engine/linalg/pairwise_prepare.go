package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// convertRows returns m itself for float64, a rounded copy for float32.
func convertRows[F Float](m Matrix[float64]) Matrix[F] {
	if same, ok := any(m).(Matrix[F]); ok {
		return same
	}
	c := New[F](m.Rows, m.Cols)
	convertRowsInto(c, m)
	return c
}

func convertRowsInto[F Float](dst Matrix[F], m Matrix[float64]) {
	for i := range m.Rows {
		row := dst.Row(i)
		for j, v := range m.Row(i) {
			row[j] = F(v)
		}
	}
}

// meanRow is the mean of all rows of x and y together.
func meanRow(x, y Matrix[float64]) []float64 {
	mean := make([]float64, x.Cols)
	weight := 1 / float64(max(x.Rows+y.Rows, 1))
	for _, m := range []Matrix[float64]{x, y} {
		for i := range m.Rows {
			simd.Axpy(weight, m.Row(i), mean)
		}
	}
	return mean
}

// shiftRows is (m - shift)·scale, rounded to F.
func shiftRows[F Float](m Matrix[float64], shift []float64, scale float64) Matrix[F] {
	c := New[F](m.Rows, m.Cols)
	shiftRowsInto(c, m, shift, scale)
	return c
}

func shiftRowsInto[F Float](dst Matrix[F], m Matrix[float64], shift []float64, scale float64) {
	for i := range m.Rows {
		row := dst.Row(i)
		for j, v := range m.Row(i) {
			row[j] = F((v - shift[j]) * scale)
		}
	}
}

// scaleRows is m·scale.
func scaleRows(m Matrix[float64], scale float64) Matrix[float64] {
	return shiftRows[float64](m, make([]float64, m.Cols), scale)
}

// squaredNorms is ‖row‖² of each row, accumulated in float64.
func squaredNorms[F Float](m Matrix[F]) []F {
	norms := make([]F, m.Rows)
	squaredNormsInto(norms, m)
	return norms
}

func squaredNormsInto[F Float](norms []F, m Matrix[F]) {
	for i := range norms {
		s := 0.0
		for _, v := range m.Row(i) {
			s += float64(v) * float64(v)
		}
		norms[i] = F(s)
	}
}

// powerOfTwoFor is 1 for ordinary data, else the power of two that brings the
// largest entry of x and y near 1, so that squares stay in the range of F.
func powerOfTwoFor[F Float](x, y Matrix[float64]) float64 {
	largest := largestEntry(x)
	if !sameRows(x, y) {
		largest = math.Max(largest, largestEntry(y))
	}
	low, high := 1e-140, 1e140
	if !isFloat64[F]() {
		low, high = 1e-15, 1e15
	}
	if largest == 0 || largest >= low && largest <= high {
		return 1
	}
	return math.Ldexp(1, min(max(-math.Ilogb(largest)-1, -1022), 1022))
}

func largestEntry(m Matrix[float64]) float64 {
	// Sizes compare as their bits do, without the sign; NaN is the largest.
	largest := uint64(0)
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			largest = max(largest, math.Float64bits(v)&^(1<<63))
		}
	}
	return math.Float64frombits(largest)
}
