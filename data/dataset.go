package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Note is something that a reader did unasked, and what changes it where something does.
type Note struct {
	Text   string
	Remedy Remedy
}

// Dataset is a table of named, typed columns, with the roles some of them
// play. Sparse, where set, holds further features of the same rows, as a
// LIBSVM file gives them.
type Dataset struct {
	Name    string // how messages call it: a file or the name of a built-in set
	Columns []Column
	Sparse  *SparseRows

	Target  string   // column to predict, or empty
	More    []string // further columns of numbers to predict beside Target, by one model
	Weights string   // column of row weights, or empty
	Noise   string   // column of the known noise variance of each row's target, or empty
	Groups  string   // column of row groups (for grouped splits), or empty
	Order   string   // column that says the order of the rows and is no feature, or empty

	// Joins say which columns were put together.
	Joins []Join

	// Skipped are columns of the file that are not among Columns, since they hold
	// what is not read.
	Skipped []SkippedColumn

	// Notes are what a reader did that the owner of the file should know.
	Notes []Note

	// Hash is the SHA-256 of the file's bytes as stored, in hexadecimal, where
	// the data came from a file.
	Hash string
}

// SkippedColumn is a column that was left out, and why.
type SkippedColumn struct{ Column, Reason string }

// String reads: column "x" is left out: why.
func (s SkippedColumn) String() string {
	return fmt.Sprintf("column %q is left out: %s", s.Column, s.Reason)
}

// Len returns the number of rows.
func (d *Dataset) Len() int {
	if len(d.Columns) > 0 {
		return d.Columns[0].Len()
	}
	if d.Sparse != nil {
		return d.Sparse.Len()
	}
	return 0
}

// Names lists the column names in order.
func (d *Dataset) Names() []string {
	names := make([]string, len(d.Columns))
	for i := range d.Columns {
		names[i] = d.Columns[i].Name
	}
	return names
}

// Column finds a column by name, or says which there are.
func (d *Dataset) Column(name string) (*Column, error) {
	for i := range d.Columns {
		if d.Columns[i].Name == name {
			return &d.Columns[i], nil
		}
	}
	for _, s := range d.Skipped {
		if s.Column == name {
			return nil, d.fault(Error{Column: name, Kind: ErrNoColumn, Reason: s.String(),
				Advice: "write it as numbers or strings"})
		}
	}
	return nil, d.fault(Error{Column: name, Kind: ErrNoColumn,
		Reason: fmt.Sprintf("no column %q%s (found: %s)", name, phrase.DidYouMean(name, d.Names()), listNames(d.Names()))})
}

// SetTarget chooses the column to predict. A text target is refused, and so is
// one with more than a thousand classes. The column itself keeps its kind.
func (d *Dataset) SetTarget(name string) error {
	c, err := d.Column(name)
	if err != nil {
		return err
	}
	switch c.Kind {
	case Numeric, Categorical, Boolean:
	default:
		return d.fault(Error{Column: name, Kind: ErrTarget, Remedy: mend.Target,
			Reason: fmt.Sprintf("column %q is %s, which cannot be predicted (found: %s)", name, c.Kind, listNames(d.Names()))})
	}
	d.Target = name
	return nil
}

// Features lists the columns that are neither targets, weights, noise, groups nor order, nor say
// which example a row was of.
func (d *Dataset) Features() []*Column {
	var out []*Column
	for i := range d.Columns {
		if slices.ContainsFunc(d.Joins, func(j Join) bool { return j.By != "" && j.By == d.Columns[i].Name }) {
			continue
		}
		if slices.Contains(d.More, d.Columns[i].Name) {
			continue
		}
		switch c := &d.Columns[i]; c.Name {
		case d.Target, d.Weights, d.Noise, d.Groups, d.Order:
			if c.Name != "" {
				continue
			}
			fallthrough
		default:
			out = append(out, c)
		}
	}
	return out
}

// Gather returns the data set of the rows in index, in that order.
func (d *Dataset) Gather(index []int) *Dataset {
	out := *d
	out.Columns = make([]Column, len(d.Columns))
	for i := range d.Columns {
		out.Columns[i] = d.Columns[i].Gather(index)
	}
	if d.Sparse != nil {
		s := d.Sparse.gather(index).(SparseRows)
		out.Sparse = &s
	}
	return &out
}

// Check verifies what every function of this package relies on: columns of one
// length, names that differ, roles that name columns.
func (d *Dataset) Check() error {
	if len(d.Columns) == 0 && d.Sparse == nil {
		return d.fault(Error{Reason: "no columns", Kind: ErrNoColumn})
	}
	n := d.Len()
	if n == 0 {
		return d.fault(Error{Reason: "no rows", Kind: ErrNoRows})
	}
	seen := make(map[string]int, len(d.Columns))
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Len() != n {
			return d.fault(Error{Column: c.Name, Reason: fmt.Sprintf("column %q has %d rows where %q has %d", c.Name, c.Len(),
				d.Columns[0].Name, n)})
		}
		if j, ok := seen[c.Name]; ok {
			return d.fault(Error{Column: c.Name, Reason: fmt.Sprintf("columns %d and %d are both named %q", j+1, i+1, c.Name),
				Advice: "rename one"})
		}
		seen[c.Name] = i
	}
	if d.Sparse != nil && d.Sparse.Len() != n {
		return d.fault(Error{Reason: fmt.Sprintf("%d sparse rows where the columns have %d", d.Sparse.Len(), n)})
	}
	for _, role := range append([]string{d.Target, d.Weights, d.Noise, d.Groups, d.Order}, d.More...) {
		if role != "" {
			if _, err := d.Column(role); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Dataset) label() string {
	if d.Name == "" {
		return "data"
	}
	return d.Name
}

// listNames joins names for a message, shortened where there are many.
func listNames(names []string) string {
	const most = 20
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		return fmt.Sprintf("%s, … %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
