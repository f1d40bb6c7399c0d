package data

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Encoded is what a learner sees of a data set.
type Encoded struct {
	Dense   DenseRows   // features, unless sparse
	Sparse  *SparseRows // features, where the encoder says sparse
	Objects []Column    // the columns that become no features, in the order of the encoder: text kept, sequences, trees …
	Target  []float64   // from TransformLabelled: number, or index of the class
	More    [][]float64 // from TransformLabelled: the numbers of each further target
	Weights []float64   // row weights, where the encoder has them
	Noise   []float64   // known noise variance of each row's target, where the encoder has it and the column is there
	Kept    []int       // the rows of the data set that are here

	Filled     int           // rows that have a missing value and are here all the same
	UnseenRows int           // rows with a category that the encoder does not know
	Unseen     []UnseenCount // the columns of those categories
	FarRows    int           // rows with a number or a time far outside of those that the encoder was fitted on
	Doubts     []Doubt       // what is doubtful about single rows, column by column

	file   string // where the rows come from, for messages
	before int    // rows before them there
}

// UnseenCount is how many rows of a column have a category that was not there when the encoder was
// fitted, and the first of them.
type UnseenCount struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
	Value  string `json:"value"`
	Near   string `json:"near,omitempty"` // the category that it is but for capitals, and blanks around it; empty: none
}

// alike is the level that a value is but for capitals, and blanks around it; empty: none.
func alike(levels []string, value string) string {
	value = strings.TrimSpace(value)
	for _, l := range levels {
		if strings.EqualFold(strings.TrimSpace(l), value) {
			return l
		}
	}
	return ""
}

// Len returns the number of rows.
func (x *Encoded) Len() int { return len(x.Kept) }

// Fault places an error at row i of those that are here: the file, and the row of it.
func (x *Encoded) Fault(i int, e Error) error {
	e.File, e.Row = x.file, x.before+x.Kept[i]+1
	return &e
}

// Codes is the class of each row, for a target of classes.
func (x *Encoded) Codes() []int {
	codes := make([]int, len(x.Target))
	for i, y := range x.Target {
		codes[i] = int(y)
	}
	return codes
}

// AsDense returns the features as a dense matrix whatever form they have.
func (x *Encoded) AsDense() DenseRows {
	if x.Sparse == nil {
		return x.Dense
	}
	m := linalg.New[float64](x.Sparse.Len(), x.Sparse.Dim())
	for i := range m.Rows {
		v := x.Sparse.At(i)
		row := m.Row(i)
		for k, j := range v.Index {
			row[j] = v.Value[k]
		}
	}
	return RowsOf(m)
}

// AsDenseWithin is AsDense in so many bytes of memory, 0 meaning half of the machine's, or an error
// that wraps ErrTooLarge: an index of a million in a sparse file of two lines is two million
// numbers in a dense one. The file is named in the error.
func (x *Encoded) AsDenseWithin(file string, bytes int64) (DenseRows, error) {
	if bytes <= 0 {
		bytes = 2 * par.DefaultBytes()
	}
	if x.Sparse != nil {
		if need := 8 * float64(x.Sparse.Len()) * float64(x.Sparse.Dim()); need > float64(bytes) {
			e := TooLargeError(file, need, bytes, "")
			e.Reason = fmt.Sprintf("as a table of %s rows and %s features %s", phrase.Thousands(x.Sparse.Len()),
				phrase.Thousands(x.Sparse.Dim()), e.Reason)
			return DenseRows{}, e
		}
	}
	return x.AsDense(), nil
}

// Transform encodes the features of d. Columns are found by name, in any
// order; columns that the encoder does not know are ignored, the target among
// them. A column that is not there, a value of the wrong kind, a category
// never seen or a missing value without a policy is an error that says so.
func (e *Encoder) Transform(d *Dataset) (*Encoded, error) { return e.transform(d, false, 0) }

// TransformLabelled is Transform with the target. Rows without a target are
// dropped unless the policy refuses missing values.
func (e *Encoder) TransformLabelled(d *Dataset) (*Encoded, error) { return e.transform(d, true, 0) }

func (e *Encoder) transform(d *Dataset, labelled bool, before int) (*Encoded, error) {
	d, err := d.Join(e.Joins...)
	if err != nil {
		return nil, err
	}
	if e.Lags != nil {
		if d, err = e.Lags.derive(d, e.Notations[e.Lags.Order], before); err != nil {
			return nil, err
		}
	}
	columns, err := e.match(d, before)
	if err != nil {
		return nil, err
	}
	if e.SparseDim > 0 && d.Sparse == nil {
		return nil, d.fault(Error{Reason: fmt.Sprintf("the model needs %d sparse features, as a LIBSVM file has them",
			e.SparseDim), Kind: ErrNoColumn})
	}
	var target *Column
	var more []*Column
	if labelled {
		if e.Target == nil {
			return nil, d.fault(Error{Reason: "the encoder has no target", Kind: ErrTarget})
		}
		if target, err = d.Column(e.Target.Name); err != nil {
			return nil, err
		}
		if more, err = e.moreColumns(d); err != nil {
			return nil, err
		}
	}
	out := &Encoded{file: d.label(), before: before}
	keep, err := e.keep(d, columns, target, more)
	if err != nil {
		return nil, err
	}
	out.Kept = keep
	if e.Sparse {
		err = e.fillSparse(out, d, columns, before)
	} else if need, have := 8*float64(len(keep))*float64(e.Dim), 2*par.DefaultBytes(); need > float64(have) {
		// Categories with very many levels, say.
		err = TooLargeError(d.label(), need, have, "")
	} else {
		err = e.fillDense(out, d, columns, before)
	}
	if err != nil {
		return nil, err
	}
	out.countDoubtful(e, columns)
	for i, c := range columns {
		if code := &e.Columns[i]; code.Object() {
			objects := c.Gather(keep)
			if err := code.scaleChannels(&objects); err != nil {
				return nil, PlaceError(d.label(), before, err)
			}
			out.Objects = append(out.Objects, objects)
		}
	}
	if labelled {
		if out.Target, err = e.Target.encode(d, target, e.Readings()[e.Target.Name], keep, before); err != nil {
			return nil, err
		}
		if out.More, err = e.encodeMore(d, more, keep, before); err != nil {
			return nil, err
		}
	}
	if e.Weights != "" && labelled {
		if out.Weights, err = weightsOf(d, e.Weights, keep, before); err != nil {
			return nil, err
		}
	}
	if out.Noise, err = e.noiseOf(d, keep, labelled, before); err != nil {
		return nil, err
	}
	return out, nil
}

// countDoubtful counts the rows whose features are not what their values say: something is filled
// in, or stands for none of the known.
func (x *Encoded) countDoubtful(e *Encoder, columns []*Column) {
	filled, unseen, far := make([]bool, len(x.Kept)), make([]bool, len(x.Kept)), make([]bool, len(x.Kept))
	for ci, c := range columns {
		code := &e.Columns[ci]
		low, high := code.near()
		var place []int
		count := UnseenCount{Column: code.Name}
		if code.Kind.named() {
			place = code.places(c)
		}
		for to, from := range x.Kept {
			switch {
			case c.IsMissing(from):
				if !code.Object() && code.Kind != Text {
					filled[to] = true
					x.Doubts = append(x.Doubts, Doubt{Row: to, Column: code.Name, What: doubtMissing})
				}
			case place != nil && place[c.Codes[from]] < 0:
				unseen[to] = true
				x.Doubts = append(x.Doubts, Doubt{Row: to, Column: code.Name, What: doubtUnseen, Value: c.Levels[c.Codes[from]]})
				if count.Rows++; count.Rows == 1 {
					count.Value = c.Levels[c.Codes[from]]
					count.Near = alike(code.Levels, count.Value)
				}
			case len(code.Range) == 2 && code.outside(c, from, low, high):
				far[to] = true
				x.Doubts = append(x.Doubts, Doubt{Row: to, Column: code.Name, What: doubtFar, Value: c.String(from),
					Low: code.Range[0], High: code.Range[1]})
			}
		}
		if count.Rows > 0 {
			x.Unseen = append(x.Unseen, count)
		}
	}
	for i := range x.Kept {
		if filled[i] {
			x.Filled++
		}
		if unseen[i] {
			x.UnseenRows++
		}
		if far[i] {
			x.FarRows++
		}
	}
}

// match finds the columns the encoder needs, each as the kind it needs.
func (e *Encoder) match(d *Dataset, before int) ([]*Column, error) {
	at := map[string]int{}
	for i := range d.Columns {
		at[d.Columns[i].Name] = i
	}
	var absent []string
	known := map[string]bool{}
	for _, code := range e.Columns {
		known[code.Name] = true
		if _, ok := at[code.Name]; !ok {
			absent = append(absent, code.Name)
		}
	}
	if len(absent) > 0 {
		var spare []string
		for _, n := range d.Names() {
			if !known[n] {
				spare = append(spare, n)
			}
		}
		return nil, absentColumns(d, absent, spare)
	}
	columns := make([]*Column, len(e.Columns))
	var readings map[string]Notation // made where one is needed
	for i := range e.Columns {
		code := &e.Columns[i]
		c := &d.Columns[at[code.Name]]
		if c.Kind != code.Kind {
			if readings == nil {
				readings = e.Readings()
			}
			out, err := c.ReadAs(readings[code.Name])
			if err != nil {
				return nil, PlaceError(d.label(), before, err)
			}
			c = &out
		} else if code.Kind == Time {
			if readings == nil {
				readings = e.Readings()
			}
			if err := c.checkZone(readings[code.Name]); err != nil {
				return nil, PlaceError(d.label(), before, err)
			}
		}
		columns[i] = c
	}
	return columns, nil
}

// absentColumns is the fault of a data set that lacks columns of the model; one of its spare
// columns may be meant for one of them.
func absentColumns(d *Dataset, absent, spare []string) error {
	noun, verb := "column", "is"
	if len(absent) > 1 {
		noun, verb = "columns", "are"
	}
	quoted := make([]string, len(absent))
	var renames []string
	for i, a := range absent {
		quoted[i] = fmt.Sprintf("%q", a)
		if n, ok := phrase.Nearest(a, spare); ok {
			renames = append(renames, fmt.Sprintf("is %q meant for %q? rename it", n, a))
		}
	}
	return d.fault(Error{Column: absent[0], Kind: ErrNoColumn, Advice: strings.Join(renames, "\n  "),
		Reason: fmt.Sprintf("the model needs %s %s, which %s not here (found: %s)", noun, listNames(quoted), verb,
			listNames(d.Names()))})
}

// keep lists the rows that stay, by the policy for missing values.
func (e *Encoder) keep(d *Dataset, columns []*Column, target *Column, more []*Column) ([]int, error) {
	n := d.Len()
	var gone []bool
	answers := more
	if target != nil {
		answers = append(answers[:len(answers):len(answers)], target)
	}
	columns = append(e.Options.mayMiss(columns), answers...)
	if e.Options.Missing == missingRefuse {
		if err := missingError(d, columns); err != nil {
			return nil, err
		}
	}
	mark := func(c *Column) {
		for i := range n {
			if c.IsMissing(i) {
				if gone == nil {
					gone = make([]bool, n)
				}
				gone[i] = true
			}
		}
	}
	switch {
	case e.Options.Missing == missingDrop:
		for _, c := range columns {
			mark(c)
		}
	default:
		for _, c := range answers {
			mark(c)
		}
	}
	kept := make([]int, 0, n)
	for i := range n {
		if gone == nil || !gone[i] {
			kept = append(kept, i)
		}
	}
	return kept, nil
}

// encode gives the answers as numbers; read is how the target was read when the encoder was fitted.
func (t *TargetCode) encode(d *Dataset, c *Column, read Notation, kept []int, before int) ([]float64, error) {
	y := make([]float64, len(kept))
	if t.Task == Regression {
		numbers, err := c.ReadAs(read)
		if err != nil {
			return nil, PlaceError(d.label(), before, err)
		}
		if numbers, err = numbers.As(Numeric); err != nil {
			return nil, PlaceError(d.label(), before, err)
		}
		if err := d.checkTargetRange(&numbers, before); err != nil {
			return nil, err
		}
		for to, from := range kept {
			y[to] = numbers.Numbers[from]
		}
		return y, nil
	}
	classes, err := c.As(Categorical)
	if err != nil {
		return nil, PlaceError(d.label(), before, err)
	}
	place := meantPlaces(t.Classes, classes.Levels)
	for to, from := range kept {
		k := classes.Codes[from]
		if place[k] < 0 {
			return nil, d.fault(Error{Row: before + from + 1, Column: t.Name, Value: classes.Levels[k], Kind: ErrUnseen,
				Reason: fmt.Sprintf("target %q is %q, a class not seen when the model was fitted (known: %s)", t.Name,
					phrase.Clip(classes.Levels[k]), listNames(t.Classes)),
				Advice: "leave the row out, or fit the model again with rows of this class"})
		}
		y[to] = float64(place[k])
	}
	return y, nil
}

func weightsOf(d *Dataset, name string, kept []int, before int) ([]float64, error) {
	c, err := d.Column(name)
	if err != nil {
		return nil, err
	}
	w, err := c.As(Numeric)
	if err != nil {
		return nil, PlaceError(d.label(), before, ExplainError(" for the weights", err))
	}
	out := Take(w.Numbers, kept)
	sum := 0.0
	for i, x := range out {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, d.fault(Error{Row: before + kept[i] + 1, Column: name, Value: phrase.Number(x), Kind: ErrValue,
				Reason: fmt.Sprintf("weight %q is %v; weights must be finite and not negative", name, x)})
		}
		sum += x
	}
	if sum == 0 && len(out) > 0 {
		return nil, d.fault(Error{Column: name, Kind: ErrValue, Reason: fmt.Sprintf("all weights in %q are 0", name),
			Advice: "give a row a positive weight, or leave the weights out"})
	}
	return out, nil
}
