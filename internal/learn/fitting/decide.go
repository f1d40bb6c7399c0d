package fitting

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
)

// tie is the difference of outputs below which classes, of targets ±1, are not told apart: rounding
// is far below it, and what rounding leaves of an output of zero is no reason to call a point of
// one class or another.
const tie = 1e-10

// Decide turns the outputs at rows into predictions.
func Decide(values linalg.Matrix[float64], rows []int, k int) learn.Predictions {
	out := learn.Predictions{Rows: rows, Classes: k}
	if k == 0 {
		out.Value = make([]float64, values.Rows)
		for i := range out.Value {
			out.Value[i] = values.At(i, 0)
		}
		for t := 1; t < values.Cols; t++ {
			other := learn.Predictions{Rows: rows, Value: make([]float64, values.Rows)}
			for i := range other.Value {
				other.Value[i] = values.At(i, t)
			}
			out.More = append(out.More, other)
		}
		return out
	}
	out.Class = make([]int, values.Rows)
	out.Score = make([]float64, values.Rows*k)
	for i := range out.Class {
		row := out.Score[i*k : (i+1)*k]
		if k == 2 {
			row[0], row[1] = -values.At(i, 0), values.At(i, 0)
		} else {
			copy(row, values.Row(i))
		}
		for c := range row {
			row[c] = math.Round(row[c]/tie) * tie
		}
		out.Class[i] = learn.ArgMax(row)
	}
	return out
}
