package model

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
)

// tensorTrained is the hashes of the rows that a model was fitted on, increasing.
const tensorTrained = "trained.rows"

// mostTrained is how many rows a file keeps the hashes of; of more it keeps none.
const mostTrained = 1 << 20

// TrainedRows is what Info.Trained takes: the hashes of rows of d, over the columns that the
// encoder uses and the target. nil where there are too many, or where the columns are not to be
// found.
func TrainedRows(e *data.Encoder, d *data.Dataset, rows []int) []uint64 {
	if e == nil || len(rows) > mostTrained {
		return nil
	}
	h, err := data.RowHashes(d, trainedColumns(e), rows)
	if err != nil {
		return nil
	}
	slices.Sort(h)
	return h
}

func trainedColumns(e *data.Encoder) []string {
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	if e.Target != nil {
		names = append(names, e.Target.Name)
	}
	return append(names, e.More...)
}

// TrainedOn says which rows of d equal rows that the model was fitted on, answers included; known
// is false where the file does not keep that, or d has not all its columns.
func (m *Model) TrainedOn(d *data.Dataset) (rows []int, known bool) {
	if len(m.info.Trained) == 0 || m.info.Encoder == nil {
		return nil, false
	}
	all := make([]int, d.Len())
	for i := range all {
		all[i] = i
	}
	h, err := data.RowHashes(d, trainedColumns(m.info.Encoder), all)
	if err != nil {
		return nil, false
	}
	for i, v := range h {
		if _, found := slices.BinarySearch(m.info.Trained, v); found {
			rows = append(rows, i)
		}
	}
	return rows, true
}

func checkTrained(v []uint64) error {
	if len(v) > mostTrained || !slices.IsSorted(v) {
		return fmt.Errorf("%d hashes of rows, or not in order", len(v))
	}
	return nil
}

// trainedTensor stores them; a tensor of whole numbers has signs.
func trainedTensor(v []uint64) container.Tensor {
	signed := make([]int64, len(v))
	for i, h := range v {
		signed[i] = int64(h)
	}
	return container.Int64s(signed)
}

func takeTrained(t container.Tensor) ([]uint64, error) {
	signed, err := t.Int64s()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", tensorTrained, err)
	}
	out := make([]uint64, len(signed))
	for i, h := range signed {
		out[i] = uint64(h)
	}
	return out, nil
}
