package solve

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

type denseLinear struct {
	m    linalg.Matrix[float64]
	bias float64
}

// DenseLinear views the rows of m for DCD, with the constant bias appended to
// each unless it is 0: its weight, the last, is the intercept.
func DenseLinear(m linalg.Matrix[float64], bias float64) LinearRows { return denseLinear{m, bias} }

func extra(bias float64) int {
	if bias != 0 {
		return 1
	}
	return 0
}

func (d denseLinear) Len() int { return d.m.Rows }
func (d denseLinear) Dim() int { return d.m.Cols + extra(d.bias) }

func (d denseLinear) Dot(i int, w []float64) float64 {
	s := simd.Dot64(d.m.Row(i), w[:d.m.Cols])
	if d.bias != 0 {
		s += d.bias * w[d.m.Cols]
	}
	return s
}

func (d denseLinear) Add(i int, a float64, w []float64) {
	simd.Axpy64(a, d.m.Row(i), w[:d.m.Cols])
	if d.bias != 0 {
		w[d.m.Cols] += a * d.bias
	}
}

func (d denseLinear) SquaredNorm(i int) float64 {
	row := d.m.Row(i)
	return simd.Dot64(row, row) + d.bias*d.bias
}

type sparseLinear struct {
	m    *linalg.CSR
	bias float64
}

// SparseLinear is DenseLinear for sparse rows. It panics on a column number
// outside the matrix.
func SparseLinear(m *linalg.CSR, bias float64) LinearRows {
	for k, c := range m.Index {
		if uint(c) >= uint(m.Cols) {
			panic(fmt.Sprintf("solve: entry %d of the sparse rows is in column %d of %d", k, c, m.Cols))
		}
	}
	return &sparseLinear{m, bias}
}

func (s *sparseLinear) Len() int { return s.m.Rows }
func (s *sparseLinear) Dim() int { return s.m.Cols + extra(s.bias) }

func (s *sparseLinear) Dot(i int, w []float64) float64 {
	index, value := s.m.Row(i)
	sum := simd.GatherDot64(value, index, w)
	if s.bias != 0 {
		sum += s.bias * w[s.m.Cols]
	}
	return sum
}

func (s *sparseLinear) Add(i int, a float64, w []float64) {
	index, value := s.m.Row(i)
	for len(index) >= 4 && len(value) >= 4 { // columns of a row differ, so that the four do not wait for each other
		w[index[0]] += a * value[0]
		w[index[1]] += a * value[1]
		w[index[2]] += a * value[2]
		w[index[3]] += a * value[3]
		index, value = index[4:], value[4:]
	}
	for k, c := range index {
		w[c] += a * value[k]
	}
	if s.bias != 0 {
		w[s.m.Cols] += a * s.bias
	}
}

func (s *sparseLinear) SquaredNorm(i int) float64 {
	_, value := s.m.Row(i)
	sum := s.bias * s.bias
	for _, v := range value {
		sum += v * v
	}
	return sum
}
