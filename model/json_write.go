package model

import (
	"encoding/json"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

const jsonFormat = "JSON"

// whole is a model as JSON: what there is to say about it, and all that another program needs to
// predict as it does.
//
//	x = the features of a row, by Inputs
//	s = Coefficientsᵀ·k(Centers, x) + Bias
//	prediction = s, or the class that Decide finds by s
type whole struct {
	Summary
	Inputs       []jsonInput `json:"inputs,omitempty"`
	KernelTree   any         `json:"kernel_tree"`
	Centers      [][]number  `json:"center_points"`
	Coefficients [][]number  `json:"coefficients"` // a row for each centre, a column for each output
	Decide       string      `json:"decide"`
	Proba        string      `json:"probabilities,omitempty"`
	Sigmoids     [][]number  `json:"sigmoids,omitempty"` // A and B of each output
	Slope        *number     `json:"slope,omitempty"`
	Cuts         []number    `json:"cuts,omitempty"`  // between grades, increasing
	Order        []number    `json:"order,omitempty"` // of the classes, where ties of votes go to the first
	// Residuals is absolute, of rows held out, increasing: ± the ⌈(n+1)·level⌉-th of n is an
	// interval.
	Residuals []number `json:"residuals,omitempty"`
}

// jsonInput is how a feature comes from a row. Of the number x in Column (or at Index of a sparse
// file, from 1) it is (x - Center)·Factor; of a category 1 where it is Level, else 0; or its place
// in Codes, else -1. With Indicator it is 1 where Column is missing, else 0. Missing is the feature
// where it is, unless that is refused.
type jsonInput struct {
	Column    string   `json:"column,omitempty"`
	Index     int      `json:"index,omitempty"`
	Center    *number  `json:"center,omitempty"`
	Factor    *number  `json:"factor,omitempty"`
	Level     *string  `json:"level,omitempty"`
	Codes     []string `json:"codes,omitempty"`
	Indicator bool     `json:"indicator,omitempty"`
	Missing   *number  `json:"missing,omitempty"`
}

// WriteJSON writes the model with all of its numbers, for programs in other languages: how features
// come from columns, the centres, the coefficients and how scores become predictions; targets are
// not scaled there. The error is an *UnfitError where that is not all it takes.
func (m *Model) WriteJSON(w io.Writer) error {
	r := m.body.record()
	if err := r.byFunction(jsonFormat); err != nil {
		return err
	}
	if t := m.info.TargetMap; t != nil {
		return unfitMap(jsonFormat, t)
	}
	how, err := r.rule(jsonFormat)
	if err != nil {
		return err
	}
	if how, err = m.decided(how, jsonFormat); err != nil {
		return err
	}
	out := whole{Summary: m.Summary(), Decide: how.decide, Proba: how.proba}
	if out.Inputs, err = jsonInputs(m.info.Encoder); err != nil {
		return err
	}
	if out.KernelTree, err = jsonKernel(r); err != nil {
		return err
	}
	if r.sparse != nil {
		if r.sparse.Rows > 0 && r.dim > maxONNXNumbers/r.sparse.Rows {
			return unfit(jsonFormat, "%d centres of %d features are too many for a file of dense numbers", r.sparse.Rows, r.dim)
		}
		r.dense = denseCenters(r)
	}
	r = m.unscaled(r)
	if !m.HasStd() { // else they are in units that the file does not have
		out.Residuals = numbers(m.info.Residuals)
	}
	out.Summary.Bias = numbers(r.bias)
	out.Centers, out.Coefficients = numberRows(r.dense), numberRows(linalg.Of(r.coef))
	switch how.proba {
	case "platt", "platt shares", "platt pairs":
		out.Sigmoids = numberRows(linalg.Of(r.arrays["platt"]))
	case "slope":
		slope := number(r.numbers["slope"])
		out.Slope = &slope
	}
	if how.decide == "grades" {
		out.Cuts = numbers(r.arrays["thresholds"].RawRowView(0))
	}
	if order := r.arrays["order"]; order != nil && how.decide == "votes" {
		out.Order = numbers(order.RawRowView(0))
	}
	return json.NewEncoder(w).Encode(out)
}

// jsonInputs is how features come from columns; nil where they are the columns.
func jsonInputs(e *data.Encoder) ([]jsonInput, error) {
	if e == nil {
		return nil, nil
	}
	exact := func(v float64) *number { n := number(v); return &n }
	fills := e.Options.Missing == "mean" || e.Options.Missing == "indicator"
	out := make([]jsonInput, e.Dim)
	for j := range e.SparseDim {
		out[j] = jsonInput{Index: j + 1, Center: exact(0), Factor: exact(1)}
		if e.SparseScale != nil {
			out[j].Factor = exact(e.SparseScale[j])
		}
	}
	for i := range e.Columns {
		c := &e.Columns[i]
		for j := range c.Width {
			in := jsonInput{Column: c.Name}
			switch {
			case c.Kind == data.Numeric:
				in.Center, in.Factor = exact(c.Scale[j].Center), exact(c.Scale[j].Factor)
			case named(c) && c.Coded:
				in.Codes = c.Levels
			case named(c):
				in.Level = &c.Levels[j]
			}
			if fills && c.Fill != nil {
				in.Missing = exact(c.Fill[j])
			}
			out[c.Offset+j] = in
		}
		if c.Kind != data.Numeric && !named(c) {
			return nil, unfit(jsonFormat, "column %q is %s, whose encoding takes more than a table", c.Name, c.Kind)
		}
		if c.Indicator {
			out[c.Offset+c.Width] = jsonInput{Column: c.Name, Indicator: true}
		}
	}
	return out, nil
}

func numbers(v []float64) []number {
	var out []number
	for _, x := range v {
		out = append(out, number(x))
	}
	return out
}

func numberRows(m linalg.Matrix[float64]) [][]number {
	out := make([][]number, m.Rows)
	for i := range out {
		out[i] = numbers(m.Row(i))
	}
	return out
}
