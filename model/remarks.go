package model

import (
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Remarks is what is doubtful about rows of a data set, by row: a category that the model never saw,
// a number or a date far outside of what it was fitted on, a missing value that was filled in, or one
// for which there is no prediction. Rows that nothing is to be said about are not in it.
func (m *Model) Remarks(rows *data.Dataset, p *Prediction) map[int][]string {
	out := map[int][]string{}
	for _, d := range p.Doubts {
		out[p.Rows[d.Row]] = append(out[p.Rows[d.Row]], d.String())
	}
	e := m.Info().Encoder
	if len(p.Rows) == rows.Len() || e == nil {
		return out
	}
	said := make([]bool, rows.Len())
	for _, row := range p.Rows {
		said[row] = true
	}
	for i, ok := range said {
		if ok {
			continue
		}
		for _, c := range e.Columns {
			if own, err := rows.Column(c.Name); err == nil && own.IsMissing(i) {
				out[i] = append(out[i], c.Name+" is missing, and there is no prediction; missing=mean fills it in")
			}
		}
	}
	return out
}

// RemarksColumn is Remarks as a column of texts, under a name that the table does not have.
func (m *Model) RemarksColumn(rows *data.Dataset, p *Prediction, table *data.Dataset) data.Column {
	cells := make([]string, rows.Len())
	for row, said := range m.Remarks(rows, p) {
		cells[row] = strings.Join(said, "; ")
	}
	return data.TextColumn(free("remarks", table), cells)
}
