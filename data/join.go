package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// Join says how columns of a file become one column of objects: the steps of a series that stand
// side by side, the channels of one, or the rows that are the instances of one example.
type Join struct {
	Name string `json:"name"` // of the column made
	Kind Kind   `json:"kind"` // Sequence, or Bag
	// numbers: the steps of a series in their order, or the coordinates of an instance; lists: the
	// channels of a series
	From []string `json:"from"`
	By   string   `json:"by,omitempty"`
	// By, for bags, names the column that says which example a row belongs to. Columns besides From
	// have to be the same in all rows of an example.
}

// String says what was joined.
func (j Join) String() string {
	from := fmt.Sprintf("%d columns, %s to %s,", len(j.From), j.From[0], j.From[len(j.From)-1])
	if j.Kind == Bag {
		return fmt.Sprintf("rows with the same %q are one example: a bag of vectors of %s", j.By,
			strings.TrimSuffix(from, ","))
	}
	return fmt.Sprintf("%s are one series, %q", from, j.Name)
}

// Join puts columns together. A data set that has the joined column and not its parts comes back as
// it is.
func (d *Dataset) Join(joins ...Join) (*Dataset, error) {
	for _, j := range joins {
		if slices.Contains(d.Names(), j.Name) && !slices.Contains(d.Names(), j.From[0]) {
			continue
		}
		var err error
		if j.Kind == Bag {
			d, err = d.joinBags(j)
		} else {
			d, err = d.joinSeries(j)
		}
		if err != nil {
			return nil, err
		}
		d.Joins = append(slices.Clip(d.Joins), j)
	}
	return d, nil
}

// parts are the columns to join, all of one kind.
func (d *Dataset) parts(j Join) ([]*Column, error) {
	out := make([]*Column, len(j.From))
	for i, name := range j.From {
		c, err := d.Column(name)
		if err != nil {
			return nil, err
		}
		if c.Kind != Numeric && (j.Kind == Bag || c.Kind != Sequence) {
			return nil, d.fault(Error{Column: name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q is %s, where numbers are needed to join it with others", name, c.Kind)})
		}
		if c.Kind != d.kindOf(j.From[0]) {
			return nil, d.fault(Error{Column: name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q is %s, column %q is %s: they cannot be joined", name, c.Kind, j.From[0],
					d.kindOf(j.From[0]))})
		}
		out[i] = c
	}
	return out, nil
}

func (d *Dataset) kindOf(name string) Kind {
	c, err := d.Column(name)
	if err != nil {
		return Text
	}
	return c.Kind
}

// with is the data set without some columns and with one more, where the first of them stood.
func (d *Dataset) with(c Column, without []string) *Dataset {
	out := *d
	out.Columns = nil
	placed := false
	for i := range d.Columns {
		if !slices.Contains(without, d.Columns[i].Name) {
			out.Columns = append(out.Columns, d.Columns[i])
		} else if !placed {
			out.Columns = append(out.Columns, c)
			placed = true
		}
	}
	return &out
}

// joinSeries makes a series of numbers side by side, or one of several channels of lists. Numbers
// missing at the end are no steps; a gap inside is refused.
func (d *Dataset) joinSeries(j Join) (*Dataset, error) {
	columns, err := d.parts(j)
	if err != nil {
		return nil, err
	}
	out := Column{Name: j.Name, Kind: Sequence, Notation: columns[0].Notation, Sequences: make([][]float64, d.Len())}
	if columns[0].Kind == Sequence {
		out.Channels = len(columns)
	}
	for i := range out.Sequences {
		if columns[0].Kind == Numeric {
			out.Sequences[i], err = stepsOf(columns, i)
		} else {
			out.Sequences[i], err = channelsOf(columns, i)
		}
		if err != nil {
			return nil, PlaceError(d.label(), 0, err)
		}
	}
	return d.with(out, j.From), nil
}

// stepsOf is row i of columns of numbers as a series.
func stepsOf(columns []*Column, i int) ([]float64, error) {
	last := len(columns)
	for last > 0 && columns[last-1].IsMissing(i) {
		last--
	}
	if last == 0 {
		return nil, nil
	}
	q := make([]float64, last)
	for t := range q {
		if q[t] = columns[t].Numbers[i]; math.IsNaN(q[t]) {
			return nil, &Error{Row: i + 1, Column: columns[t].Name, Kind: ErrMissing,
				Reason: fmt.Sprintf("column %q is missing in the middle of a series", columns[t].Name),
				Advice: "fill it in; what is missing at the end makes a shorter series"}
		}
	}
	return q, nil
}

// channelsOf is row i of columns of lists as steps of several numbers.
func channelsOf(columns []*Column, i int) ([]float64, error) {
	steps := len(columns[0].Sequences[i])
	if columns[0].Sequences[i] == nil {
		return nil, nil
	}
	q := make([]float64, steps*len(columns))
	for c, column := range columns {
		if len(column.Sequences[i]) != steps {
			return nil, &Error{Row: i + 1, Column: column.Name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q has %d steps, column %q has %d: channels of a series have as many", column.Name,
					len(column.Sequences[i]), columns[0].Name, steps)}
		}
		for t, x := range column.Sequences[i] {
			q[t*len(columns)+c] = x
		}
	}
	return q, nil
}

// joinBags makes one row of all rows of an example, in the order in which examples first come.
func (d *Dataset) joinBags(j Join) (*Dataset, error) {
	columns, err := d.parts(j)
	if err != nil {
		return nil, err
	}
	by, err := d.Column(j.By)
	if err != nil {
		return nil, err
	}
	number := map[string]int{}
	var first []int
	bags := Column{Name: j.Name, Kind: Bag, Channels: len(columns), Notation: columns[0].Notation}
	for i := range d.Len() {
		id := by.String(i)
		if by.IsMissing(i) {
			return nil, d.fault(Error{Row: i + 1, Column: j.By, Kind: ErrMissing,
				Reason: fmt.Sprintf("column %q is missing: which example does the row belong to?", j.By)})
		}
		at, known := number[id]
		if !known {
			at = len(first)
			number[id] = at
			first = append(first, i)
			bags.Sequences = append(bags.Sequences, []float64{})
		}
		for c := range d.Columns {
			if other := &d.Columns[c]; other.Name != j.By && !slices.Contains(j.From, other.Name) &&
				other.String(i) != other.String(first[at]) {
				return nil, d.fault(Error{Row: i + 1, Column: other.Name, Value: other.String(i), Kind: ErrValue,
					Reason: fmt.Sprintf("column %q is %q, but %q in an earlier row of the example %q", other.Name,
						phrase.Clip(other.String(i)), phrase.Clip(other.String(first[at])), phrase.Clip(id))})
			}
		}
		for _, c := range columns {
			x := c.Numbers[i]
			if math.IsNaN(x) {
				return nil, d.fault(Error{Row: i + 1, Column: c.Name, Kind: ErrMissing,
					Reason: fmt.Sprintf("column %q is missing in an instance of a bag", c.Name),
					Advice: "fill it in, or leave the row out"})
			}
			bags.Sequences[at] = append(bags.Sequences[at], x)
		}
	}
	examples := d.Gather(first)
	out := examples.with(bags, j.From)
	return out, nil
}

// Bags is the join of the rows that have the same value of a column: all other columns of numbers
// that are neither target, weights nor groups are the coordinates of an instance.
func (d *Dataset) Bags(by string) (Join, error) {
	if _, err := d.Column(by); err != nil {
		return Join{}, err
	}
	j := Join{Name: "bag of " + by, Kind: Bag, By: by}
	for _, c := range d.Features() {
		if c.Name != by && c.Kind == Numeric {
			j.From = append(j.From, c.Name)
		}
	}
	if j.From == nil {
		return Join{}, d.fault(Error{Column: by, Kind: ErrNoColumn, Reason: "no columns of numbers to make bags of"})
	}
	return j, nil
}

// stepNames are what columns of a series that stand side by side are called, before their number.
var stepNames = []string{"t", "time", "step", "t_", "time_", "step_"}

// GuessJoins finds what is meant as one column: numbers called t1, t2, t3, … (20 or more), lists of
// the same lengths in every row, and rows with a column "bag" whose target is the same throughout
// each bag.
func (d *Dataset) GuessJoins() []Join {
	var steps, lists []string
	next, prefix := 0, ""
	for _, c := range d.Features() {
		switch {
		case c.Kind == Sequence && c.Channels < 2:
			lists = append(lists, c.Name)
		case c.Kind == Numeric:
			cut := strings.TrimRight(c.Name, "0123456789")
			n, err := strconv.Atoi(c.Name[len(cut):])
			if err != nil || !slices.Contains(stepNames, strings.ToLower(cut)) {
				continue
			}
			if len(steps) == 0 || cut == prefix && n == next {
				steps, prefix, next = append(steps, c.Name), cut, n+1
			}
		}
	}
	var out []Join
	if len(steps) >= 20 {
		out = append(out, Join{Name: "series", Kind: Sequence, From: steps})
	}
	if len(lists) > 1 && d.sameLengths(lists) {
		out = append(out, Join{Name: "series", Kind: Sequence, From: lists})
	}
	for _, name := range []string{"bag", "bag_id", "bagid"} {
		if j, err := d.Bags(name); err == nil && len(out) == 0 {
			if joined, err := d.joinBags(j); err == nil && joined.Len() < d.Len() && joined.Len() > 1 {
				out = append(out, j)
			}
		}
	}
	return out
}

// sameLengths says whether lists are of the same length in every row.
func (d *Dataset) sameLengths(names []string) bool {
	columns, err := d.parts(Join{Kind: Sequence, From: names})
	if err != nil {
		return false
	}
	for i := range d.Len() {
		for _, c := range columns {
			if len(c.Sequences[i]) != len(columns[0].Sequences[i]) {
				return false
			}
		}
	}
	return true
}
