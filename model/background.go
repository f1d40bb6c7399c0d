package model

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
)

// tensorBackground is the features of rows that a model was fitted on, which contributions of
// columns compare with.
const tensorBackground = "background"

// mostBackground is how many rows a model file keeps for comparison.
const mostBackground = 64

// KeptBackground is some of the rows that a model was fitted on for Info.Background, spread evenly
// over them; none where they are no vectors.
func KeptBackground(e *data.Encoder, d *data.Dataset, rows []int) data.DenseRows {
	if e == nil || e.Sparse || e.Dim == 0 || e.Dim > 1<<12 {
		return data.DenseRows{}
	}
	for _, c := range e.Columns {
		if c.Object() {
			return data.DenseRows{}
		}
	}
	n := min(len(rows), mostBackground)
	some := make([]int, n)
	for i := range some {
		some[i] = rows[i*len(rows)/n]
	}
	x, err := e.Transform(d.Gather(some))
	if err != nil {
		return data.DenseRows{}
	}
	return x.Dense
}

func (i *Info) checkBackground(b body) error {
	x := i.Background
	if x.Len() == 0 {
		return nil
	}
	if x.Dim() != b.dim() || x.Len() > mostBackground {
		return fmt.Errorf("a background of %d rows of %d features for a model of %d", x.Len(), x.Dim(), b.dim())
	}
	for r := range x.Len() {
		for _, v := range x.At(r) {
			if !finite(v) {
				return fmt.Errorf("row %d of the background has a feature of %v", r, v)
			}
		}
	}
	return nil
}

func backgroundTensor(x data.DenseRows) container.Tensor {
	flat := make([]float64, 0, x.Len()*x.Dim())
	for i := range x.Len() {
		flat = append(flat, x.At(i)...)
	}
	return container.Float64s(flat, x.Len(), x.Dim())
}

func takeBackground(t container.Tensor) (data.DenseRows, error) {
	v, err := t.Float64s()
	if err != nil || len(t.Shape) != 2 || t.Shape[0] < 1 || t.Shape[1] < 1 {
		return data.DenseRows{}, fmt.Errorf("tensor %q: no matrix of numbers", tensorBackground)
	}
	return data.RowsOf(linalg.Matrix[float64]{Rows: t.Shape[0], Cols: t.Shape[1], Stride: t.Shape[1], Data: v}), nil
}
