package fitting

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Sum adds in order.
func Sum(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a
	}
	return s
}

// SquaredNorm is ‖v‖².
func SquaredNorm(v []float64) float64 { return simd.Dot(v, v) }

// Column views a vector as a matrix of one column.
func Column(v []float64) linalg.Matrix[float64] {
	return linalg.Matrix[float64]{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// Dot is ⟨a, b⟩, added in order.
func Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// ColumnNorms is the Euclidean norm of each column.
func ColumnNorms(m linalg.Matrix[float64]) []float64 {
	norms := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			norms[j] = math.Hypot(norms[j], v)
		}
	}
	return norms
}
