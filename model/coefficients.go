package model

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"gonum.org/v1/gonum/mat"
)

// Coefficients of which most are 0 are written by those that are not, row after row: each machine
// of one-vs-one has a coefficient for the points of two classes alone, 2/k of all.
const (
	tensorCoefIndex = "coefficients.index"
	tensorCoefValue = "coefficients.value"
	tensorCoefStart = "coefficients.start" // where each row starts, and the end
	tensorCoefWidth = "coefficients.outputs"
)

// sparseCoefFormat is that of models with such coefficients, which an older mercer would miss.
const sparseCoefFormat = 9

const (
	leastSparse = 1 << 14 // coefficients; fewer are written as they are, for every mercer to read
	worthSparse = 3       // one of so many is not 0, at most
	mostSparse  = 128     // and at least one of so many, so that a small file cannot ask for much memory
)

// putCoef writes the coefficients in the form that takes less.
func putCoef(t map[string]container.Tensor, coef *mat.Dense) {
	m := linalg.Of(coef)
	start, count := make([]int64, m.Rows+1), 0
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v != 0 {
				count++
			}
		}
		start[i+1] = int64(count)
	}
	if size := m.Rows * m.Cols; size < leastSparse || worthSparse*count > size || mostSparse*count < size {
		t[tensorCoef] = container.MatrixTensor(m)
		return
	}
	index, value := make([]int32, 0, count), make([]float64, 0, count)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
	}
	t[tensorCoefStart], t[tensorCoefIndex], t[tensorCoefValue] = container.Int64s(start), container.Int32s(index),
		container.Float64s(value, count)
	t[tensorCoefWidth] = container.Int64s([]int64{int64(m.Cols)})
}

// takeSparseCoef reads what putCoef wrote by the coefficients that are not 0.
func takeSparseCoef(t map[string]container.Tensor) (linalg.Matrix[float64], error) {
	fail := func(format string, args ...any) (linalg.Matrix[float64], error) {
		return linalg.Matrix[float64]{}, fmt.Errorf("tensors %q: %s", tensorCoef+".*", fmt.Sprintf(format, args...))
	}
	start, err := t[tensorCoefStart].Int64s()
	if err != nil {
		return fail("%v", err)
	}
	index, err := t[tensorCoefIndex].Int32s()
	if err != nil {
		return fail("%v", err)
	}
	value, err := t[tensorCoefValue].Float64s()
	if err != nil {
		return fail("%v", err)
	}
	width, err := t[tensorCoefWidth].Int64s()
	if err != nil {
		return fail("%v", err)
	}
	rows := int64(len(start)) - 1
	if len(width) != 1 || rows < 1 || width[0] < 1 || width[0] > int64(mostSparse*len(value))/rows {
		return fail("%d rows of %v coefficients do not fit %d that are not 0", rows, width, len(value))
	}
	if start[0] != 0 || start[rows] != int64(len(value)) || len(index) != len(value) {
		return fail("rows from %d to %d, %d columns and %d values do not fit together", start[0], start[rows], len(index),
			len(value))
	}
	m := linalg.New[float64](int(rows), int(width[0]))
	for i := range m.Rows {
		lo, hi := start[i], start[i+1]
		if lo > hi || hi > int64(len(value)) {
			return fail("row %d goes from %d to %d", i, lo, hi)
		}
		for a := lo; a < hi; a++ {
			j := index[a]
			if j < 0 || int64(j) >= width[0] || a > lo && j <= index[a-1] {
				return fail("row %d has a coefficient in column %d of %d, out of order", i, j, width[0])
			}
			m.Set(i, int(j), value[a])
		}
	}
	return m, nil
}
