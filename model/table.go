package model

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Table is predictions as a file holds them: a column "prediction" and those that were wanted (of
// several targets "prediction(NAME)" and so on for each, and "covariance(NAME,NAME)" beside
// deviations where they are joint), a row for each row of the data set, and
// before them the columns of the data set itself where they are to be kept. Contributions are a
// column "base" and one "contribution(NAME)" for each column, of several outputs for each of these.
// Remarks are a last column "remarks", empty where there is nothing to say.
// Rows that the policy
// for missing values drops have an empty prediction, so that lines stay side by side. The cells of
// a prediction are texts that read back as the same numbers; first is the column they begin with.
func (m *Model) Table(rows *data.Dataset, p *Prediction, w Want, keep bool) (out *data.Dataset, first int) {
	n := rows.Len()
	out = &data.Dataset{Name: rows.Name}
	if keep {
		out.Columns = append(out.Columns, rows.Columns...)
	} else {
		// Where several lines of the file are one example, its name says which.
		for _, j := range rows.Joins {
			if c, err := rows.Column(j.By); j.By != "" && err == nil {
				out.Columns = append(out.Columns, *c)
			}
		}
	}
	first = len(out.Columns)
	column := func(name string, at func(i int) string) {
		cells := make([]string, n)
		for i, row := range p.Rows {
			cells[row] = at(i)
		}
		out.Columns = append(out.Columns, data.TextColumn(free(name, out), cells))
	}
	numbers := func(name string, at func(i int) float64) {
		column(name, func(i int) string { return phrase.Number(at(i)) })
	}
	for t := range 1 + len(p.More) {
		p, of := p.Target(t), ""
		if m.several() {
			of = "(" + m.Targets()[t] + ")"
		}
		column("prediction"+of, p.Text)
		if p.Proba != nil {
			for c, class := range m.Classes() {
				numbers("p("+class+")", func(i int) float64 { return p.Proba.At(i, c) })
			}
		}
		if w.Std {
			numbers("std_mean"+of, func(i int) float64 { return p.Std[i] })
			numbers("std_observation"+of, func(i int) float64 { return p.ObservationStd[i] })
		}
		if w.Interval > 0 {
			numbers("low"+of, func(i int) float64 { return p.Low[i] })
			numbers("high"+of, func(i int) float64 { return p.High[i] })
		}
	}
	if names := m.Targets(); w.Std && p.Outputs != nil {
		for t := range names {
			for u := t + 1; u < len(names); u++ {
				numbers("covariance("+names[t]+","+names[u]+")", func(i int) float64 { return p.Outputs[i].At(t, u) })
			}
		}
	}
	if w.Scores && p.Scores != nil {
		for c := range m.Outputs() {
			name := "decision"
			switch k := len(m.Classes()); {
			case m.Outputs() > 1 && (k > 0 || m.several()):
				name = "decision(" + m.outputNames()[c] + ")"
			case m.Outputs() > 1:
				name = fmt.Sprintf("decision%d", c+1)
			}
			numbers(name, func(i int) float64 { return p.Scores.At(i, c) })
		}
	}
	if c := p.Contributions; c != nil {
		for o, output := range c.Outputs {
			of, before := "", ""
			if len(c.Outputs) > 1 {
				of, before = "("+output+")", output+", "
			}
			numbers("base"+of, func(int) float64 { return c.Base[o] })
			for j, name := range c.Columns {
				numbers("contribution("+before+name+")", func(i int) float64 { return c.Share[o].At(i, j) })
				if c.Error != nil {
					numbers("contribution_se("+before+name+")", func(i int) float64 { return c.Error[o].At(i, j) })
				}
			}
		}
	}
	if w.Remarks {
		out.Columns = append(out.Columns, m.RemarksColumn(rows, p, out))
	}
	return out, first
}

// free is a column name that the table does not have yet.
func free(name string, d *data.Dataset) string {
	for {
		taken := false
		for _, c := range d.Columns {
			taken = taken || c.Name == name
		}
		if !taken {
			return name
		}
		name = "mercer_" + name
	}
}
